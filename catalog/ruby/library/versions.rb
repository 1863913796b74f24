module Puppet
  module Util
    module Package
      module_function

      # Orders versions as Puppet does: compares numbers as numbers and other parts as text. Separators sort below both.
      def versioncmp(left, right, ignore_trailing_zeroes = false)
        left, right = [left, right].map { |v| v.sub(/((?:\.0)+)(?=$|[^.\d])/, '') } if ignore_trailing_zeroes
        a = left.scan(/[-.]|\d+|[^-.\d]+/)
        b = right.scan(/[-.]|\d+|[^-.\d]+/)
        while !a.empty? && !b.empty?
          x = a.shift
          y = b.shift
          next if x == y
          return -1 if x == '-'
          return 1 if y == '-'
          return -1 if x == '.'
          return 1 if y == '.'
          return x.upcase <=> y.upcase unless x.match?(/\A\d+\z/) && y.match?(/\A\d+\z/)
          return x.to_s.upcase <=> y.to_s.upcase if x.start_with?('0') || y.start_with?('0')

          return x.to_i <=> y.to_i
        end
        left <=> right
      end
    end
  end
end
