# frozen_string_literal: true

require 'spec_helper'

# Functions are tested in Ruby, with pupc or without.
describe 'demo::twice' do
  it { is_expected.to run.with_params('ab').and_return('abab') }
end

describe 'demo::greeting' do
  it { is_expected.to run.with_params('you').and_return('Hello, you!') }
end
