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

  def clamp(*bounds)
    PupcCore.ruby unless bounds.size == 2 || (bounds.size == 1 && bounds[0].is_a?(Range) && !bounds[0].exclude_end?)
    min, max = bounds.size == 2 ? bounds : [bounds[0].begin, bounds[0].end]
    PupcCore.ruby unless min.nil? || max.nil? || ((order = min <=> max) && order <= 0)
    below = min.nil? ? 1 : self <=> min
    above = max.nil? ? -1 : self <=> max
    PupcCore.ruby if below.nil? || above.nil?
    return min if below < 0
    return max if above > 0

    self
  end
end
