# frozen_string_literal: true

require 'spec_helper'

describe 'demo::share' do
  let(:title) { 'music' }

  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_demo__share('music').with_path('/srv/music') }
  it { is_expected.to contain_file('/srv/music').with_ensure('directory') }
  it { is_expected.not_to contain_notify('share music') }
  it { expect(exported_resources).to contain_notify('share music').with_message(%r{\A/srv/music of }).with_tag('share') }

  context 'before another' do
    let(:params) { { after: 'done' } }
    let(:pre_condition) { 'notify { "done": }' }

    it { is_expected.to contain_file('/srv/music').that_comes_before('Notify[done]') }
  end

  context 'twice the same file' do
    let(:pre_condition) { 'file { "/srv/music": }' }

    it { is_expected.to compile.and_raise_error(%r{Duplicate declaration: File\[/srv/music\] is already declared}) }
  end
end
