# frozen_string_literal: true

require 'spec_helper'

describe 'Demo::Port' do
  it { is_expected.to allow_values(1, 80, 65_535) }
  it { is_expected.not_to allow_values(0, '80', 65_536) }
end
