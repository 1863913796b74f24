# frozen_string_literal: true

require 'spec_helper'

describe 'demo' do
  it { is_expected.to compile.with_all_deps }
  it { is_expected.to contain_class('demo::service') }
  it { is_expected.to contain_package('vim').with_ensure('installed').that_comes_before('File[/etc/demo]') }
  it { is_expected.not_to contain_package('editor') }
  it { is_expected.to contain_file('/etc/demo').only_with(ensure: 'directory', require: ['Package[vim]'], path: '/etc/demo') }
  it { is_expected.to contain_file('/etc/demo/demo.conf').with_content("port = 80\npackage = vim\n").with_mode('0644').that_notifies('Service[demo]') }
  it { is_expected.to contain_service('demo').that_subscribes_to('File[/etc/demo/demo.conf]').without_enable }
  it { is_expected.to contain_notify('message').with_message('Hello, from the module!') }
  it { is_expected.to have_package_resource_count(1) }
  it { is_expected.to have_resource_count(6) }
  it { is_expected.to have_class_count(2) }

  context 'on another system' do
    let(:facts) { { os: { 'name' => 'RedHat', 'family' => 'RedHat' } } }

    it { is_expected.to contain_package('editor') }
    it { is_expected.to contain_file('/etc/demo').that_requires('Package[editor]') }
  end

  context 'with a password' do
    let(:params) { { password: sensitive('secret'), port: 8080 } }

    it { is_expected.to contain_file('/etc/demo/password').with_content(sensitive('secret')) }
    it { is_expected.to contain_file('/etc/demo/key').with_content('hello') }
    it { is_expected.not_to contain_file('/etc/demo/password').with_content(sensitive('other')) }
    it { expect(catalogue.resource('file', '/etc/demo/demo.conf')[:content]).to start_with('port = 8080') }
  end

  context 'with a deferred value' do
    let(:params) { { later: true } }

    it { is_expected.to contain_file('/etc/demo/later').with_content('later later ') }
  end

  context 'with global data' do
    let(:hiera_config) { File.expand_path('../fixtures/hiera.yaml', __dir__) }

    it { is_expected.to contain_notify('message').with_message('Hello, from the global data!') }
  end

  context 'with trusted data' do
    let(:node) { 'web1.example.com' }
    let(:trusted_facts) { { pp_role: 'web' } }
    let(:trusted_external_data) { { rack: 'b7' } }

    it { is_expected.to contain_notify('trusted').with_message('web1.example.com web b7') }
  end

  context 'with node parameters and code around' do
    let(:node_params) { { colour: 'blue' } }
    let(:pre_condition) { 'notify { "before": message => $::colour }' }
    let(:post_condition) { 'Notify["before"] -> Class["demo"]' }

    it { is_expected.to compile.with_all_deps }
    it { is_expected.to contain_notify('before').with_message('blue').that_comes_before('Class[demo]') }
  end

  context 'with what cannot be' do
    context 'a port that is none' do
      let(:params) { { port: 70_000 } }

      it { is_expected.to compile.and_raise_error(%r{parameter 'port' expects a Demo::Port}) }
      it { is_expected.to raise_error(Puppet::PreformattedError, %r{expects a Demo::Port = Integer\[1, 65535\] value, got Integer\[70000, 70000\]}) }
    end

    context 'an error of the code' do
      let(:params) { { port: 1 } }

      it { expect { catalogue }.to raise_error(Puppet::Error, %r{port 1 is not for us \(file: .*demo/manifests/init.pp, line: \d+, column: \d+\)}) }
    end

    context 'an unknown class before' do
      let(:pre_condition) { 'include nowhere' }

      it { is_expected.to compile.and_raise_error(%r{Could not find class ::nowhere}) }
    end

    context 'a resource that nobody declares' do
      let(:pre_condition) { 'notify { "x": require => File["/nowhere"] }' }

      it { is_expected.to compile.and_raise_error(%r{Could not find resource 'File\[/nowhere\]' in parameter 'require'}) }
    end
  end

  context 'with a fact that is nil' do
    let(:facts) { { rack: nil, os: { 'family' => 'Debian', 'distro' => nil } } }
    let(:pre_condition) { 'notify { "rack": message => [type($facts["rack"]), type($::rack), type($facts["os"]["distro"])].map |$t| { String($t) } }' }

    it { is_expected.to contain_notify('rack').with_message(%w[Undef Undef Undef]) }
  end

  context 'when the spec replaces a method of Puppet' do
    let(:params) { { port: 8081 } }

    before { allow(Puppet::Util).to receive(:which).and_return('/bin/true') }

    it { is_expected.to compile.with_all_deps }
  end

  context 'when the spec defines a function' do
    let(:pre_condition) { 'notify { made_by_spec(): }' }

    before { Puppet::Parser::Functions.newfunction(:made_by_spec, type: :rvalue) { |_args| 'made' } }

    it { is_expected.to contain_notify('made') }
  end
end

describe 'demo::loop' do
  it { is_expected.not_to compile }
end
