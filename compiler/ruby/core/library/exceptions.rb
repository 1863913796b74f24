# -- file
class KeyError
  def key
    PupcCore.ruby if @__known.nil?
    @key
  end

  def receiver
    PupcCore.ruby if @__known.nil?
    @receiver
  end
end
# -- file
class NameError
  def name
    PupcCore.ruby if @__known.nil?
    @name
  end

  def receiver
    PupcCore.ruby if @__known.nil?
    @receiver
  end
end
# -- file
class NoMethodError
  def name
    PupcCore.ruby if @__known.nil?
    @name
  end

  def receiver
    PupcCore.ruby if @__known.nil?
    @receiver
  end
end
# -- file
class StopIteration
  def result
    @result
  end
end
# -- file
class NoMatchingPatternKeyError
  def key
    @key
  end

  def matchee
    @matchee
  end
end
