# frozen_string_literal: true

module Delayed
  # Sends the method that is called on it to a job.
  class DelayProxy < BasicObject
    (::BasicObject.instance_methods - %i[__id__ __send__ instance_eval instance_exec])
      .each { |name| undef_method(name) }

    def initialize(payload_class, target, options)
      @payload_class = payload_class
      @target = target
      @options = options
    end

    def raise(...) = ::Kernel.raise(...)

    private

    def respond_to_missing?(...) = true

    # Keywords arrive as the last Hash.
    def method_missing(name, *args)
      Job.enqueue(payload_object: @payload_class.new(@target, name, args), **@options)
    end
  end

  # Methods of every object.
  module MessageSending
    # Options are priority, run_at and queue.
    def delay(options = {})
      DelayProxy.new(PerformableMailer.mailer?(self) ? PerformableMailer : PerformableMethod, self,
        options)
    end
    alias_method :__delay__, :delay
  end

  # Methods of every class and module.
  module MessageSendingClassMethods
    # Calls of this method become jobs. Options that are Procs get the object.
    def handle_asynchronously(method, options = {})
      base, mark = method.to_s.match(/\A(.*?)([?!=]?)\z/).captures
      later = :"#{base}_with_delay#{mark}"
      now = :"#{base}_without_delay#{mark}"
      Delayed.permission.add_method(name, now) if name
      visibility = %i[private protected].find { |one|
        send(:"#{one}_method_defined?", method)
      } || :public
      define_method(later) do |*args|
        given = options.transform_values { |value|
          next value unless value.is_a?(Proc)

          (value.arity == 1) ? value.call(self) : value.call
        }
        delay(given).__send__(now, *args)
      end
      alias_method now, method
      alias_method method, later
      send(visibility, method)
    end
  end
end
