# frozen_string_literal: true

module Architecture
  # Looks at loaded constants, not at code: whether a value is frozen all the way down is only known
  # once it is there.
  module Shareable
    module_function

    # @param root [Module]
    # @return [Array<String>] a line for each constant below it that another Ractor cannot read
    def violations(root, seen = {}.compare_by_identity)
      return [] if seen[root]
      seen[root] = true
      root.constants(false).flat_map do |name|
        value = root.const_get(name, false)
        if value.is_a?(Module) then inside?(root, value, name) ? violations(value, seen) : []
        elsif Ractor.shareable?(value) then []
        else ["#{root}::#{name} is a #{value.class}"]
        end
      end
    end

    # An alias of a foreign class is not checked.
    def inside?(root, value, name)
      value.name.nil? || root.name.nil? || value.name.start_with?("#{root.name}::")
    end
  end
end
