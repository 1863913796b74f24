# frozen_string_literal: true

# `ruby -r THIS /usr/bin/octocatalog-diff …`: version 2.1.0 makes a Proc without a block where it looks into an array or a hash that changed,
# which Ruby 3 refuses.
require 'octocatalog-diff/catalog-diff/filter'
require 'octocatalog-diff/catalog-diff/filter/compilation_dir'

OctocatalogDiff::CatalogDiff::Filter::CompilationDir.class_eval do
  def traverse(value, &block)
    case value
    when Array then value.each { |part| traverse(part, &block) }
    when Hash then traverse(value.values, &block)
    else yield value
    end
  end
end
