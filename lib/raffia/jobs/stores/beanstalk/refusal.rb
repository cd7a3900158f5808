# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Declares operations that beanstalkd cannot do.
        # @api private
        module Refusal
          VALUES = "it keeps no values beside jobs"

          # Refuses the operations that a group does not define.
          def self.complete(group, operations)
            missing = operations.reject { |name| group.method_defined?(name, false) }
            group.extend(Refusal)
            group.refuse(*missing, VALUES)
          end

          # They raise {Unsupported}.
          def refuse(*names, because)
            names.each do |name|
              class_eval <<~RUBY, __FILE__, __LINE__ + 1
                def #{name}(*, **)
                  raise Unsupported.new(:#{name}, "beanstalkd", #{because.inspect})
                end
              RUBY
            end
          end
        end
      end
    end
  end
end
