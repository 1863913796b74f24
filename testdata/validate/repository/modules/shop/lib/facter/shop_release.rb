# frozen_string_literal: true

Facter.add(:shop_release) do
  setcode { '2.10.1' }
end
