# frozen_string_literal: true

# A text twice.
Puppet::Functions.create_function(:'demo::twice') do
  dispatch :twice do
    param 'String', :text
  end

  def twice(text)
    text * 2
  end
end
