# frozen_string_literal: true

require 'spec_helper'

describe 'db1.example.com' do
  let(:pre_condition) { "node /^db/ { demo::share { 'data': path => \"/srv/${facts['networking']['hostname']}\" } }\nnode default { }" }

  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_file('/srv/db1') }
end
