# -- file
# Comparable: what follows from <=>.
module Comparable
  def ==(other)
    return true if equal?(other)

    order = (self <=> other)
    return false if order.nil?

    order == 0
  end

  def <(other)
    __order(other) < 0
  end

  def <=(other)
    __order(other) <= 0
  end

  def >(other)
    __order(other) > 0
  end

  def >=(other)
    __order(other) >= 0
  end

  def __order(other)
    order = (self <=> other)
    raise ArgumentError, "comparison of #{self.class} with #{__shown(other)} failed" if order.nil?

    order
  end

  def __shown(other)
    case other
    when nil, true, false, Integer, Float then other.inspect
    else other.class.name
    end
  end

  def between?(min, max)
    self >= min && self <= max
  end

  def clamp(min, max = nil)
    if max.nil? && min.is_a?(Range)
      max = min.end
      min = min.begin
    end
    return min if !min.nil? && (self <=> min) < 0
    return max if !max.nil? && (self <=> max) > 0

    self
  end
end
