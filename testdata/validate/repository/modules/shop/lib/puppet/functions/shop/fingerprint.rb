# frozen_string_literal: true

require 'digest'

# A short digest of a text.
Puppet::Functions.create_function(:'shop::fingerprint') do
  # @param text what is digested
  # @param length of the result
  dispatch :digest do
    param 'String[1]', :text
    optional_param 'Integer[4, 64]', :length
    return_type 'String'
  end

  def digest(text, length = 16)
    Digest::SHA256.hexdigest(text)[0, length]
  end
end
