# frozen_string_literal: true

# A part of the type as the module brings it.
Puppet::Type.newtype(:cron) do
  @doc = 'Lines of crontabs.'

  ensurable

  newparam(:name, namevar: true) do
    desc 'A name for the line.'
  end

  newproperty(:command) do
    desc 'What runs.'
  end

  [:minute, :hour, :weekday, :month, :monthday].each do |time|
    newproperty(time, array_matching: :all) do
      desc 'When it runs.'
    end
  end

  newproperty(:user) do
    desc 'As whom.'
  end

  newproperty(:target) do
    desc 'Where the line stands.'
  end

  newproperty(:environment, array_matching: :all) do
    desc 'Settings of the environment.'
  end

  newproperty(:special) do
    desc 'A name for a time.'
  end
end
