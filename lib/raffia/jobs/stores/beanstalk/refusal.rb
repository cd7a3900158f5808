# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # Declares operations that beanstalkd cannot do.
        # @api private
        module Refusal
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
