# frozen_string_literal: true

require_relative "hooks"
require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # One call of the interface, its options checked.
      #
      # @api private
      class Request
        PLACES = {in_processes: :processes, in_threads: :threads, in_ractors: :ractors}.freeze
        private_constant :PLACES

        # @return [Symbol] :processes, :threads or :ractors
        attr_reader :place
        # @return [Integer] 0: in the caller
        attr_reader :workers
        # @return [Array, nil] nil where the source is a callable or a Queue
        attr_reader :items
        # @return [#call, nil] what gives the items then
        attr_reader :producer
        # @return [Boolean] whether the source is a Queue
        def queue? = !@items && !@source.respond_to?(:call)

        # @return [Object] as it was given
        attr_reader :source
        # @return [Hooks]
        attr_reader :hooks

        def initialize(source, options, block)
          @source = source
          @options = options
          @block = block
          read_source
          @place = choose_place
          @workers = [@producer ? Float::INFINITY : @items.size, count].min
          check
          @with_index = !!options[:with_index]
          @work = block || callback
          @hooks = Hooks.new(options, @producer ? nil : @items.size)
        end

        # Does the work on one of the items.
        # @return [Object] the program's result
        def perform(item, index) = @with_index ? @work.call(item, index) : @work.call(item)

        # @return [Array(Module, Symbol), nil]
        def ractor = @options[:ractor]

        def with_index? = @with_index

        # Whether the caller wants results.
        def results? = !@options[:discard_results] && @options[:preserve_results] != false

        # Whether anybody wants the results.
        def wanted? = results? || @hooks.finish?

        def isolation? = !!@options[:isolation]

        # @return [String, Symbol, nil]
        def interrupt_signal = @options[:interrupt_signal]

        private

        def read_source
          @producer = if @source.respond_to?(:call) then @source
          elsif @source.respond_to?(:num_waiting) && @source.respond_to?(:pop) then -> { pop }
          end
          @items = @source.to_a unless @producer
        end

        # A queue that is closed and empty gives nil for ever.
        def pop
          item = @source.pop
          if item.nil? && @source.respond_to?(:closed?) && @source.closed? && @source.empty?
            ::Parallel::Stop
          else
            item
          end
        end

        def choose_place
          given = PLACES.keys.select { |name| @options[name] }
          if given.size > 1
            raise ArgumentError, "Use only one of `in_processes`, `in_threads`, or `in_ractors`."
          end
          return PLACES[given.first] if given.any?

          (RUBY_ENGINE == "jruby") ? :threads : :processes
        end

        def check
          check_ractor
          unless @block || ractor || @items == []
            raise ArgumentError, "there is no block: give the work, as in Parallel.map(items) { " \
              "|item| ... }"
          end
          if interrupt_signal && @place == :threads
            raise "interrupt_signal is no longer supported for threads"
          end
          return unless @options[:serializer] && !@options[:serializer].equal?(Marshal)

          raise ArgumentError, "serializer: only Marshal is provided by raffia/compat/parallel"
        end

        # Without workers a block will do.
        def check_ractor
          if @block ? ractor : !ractor && @place == :ractors
            raise ArgumentError, "pass the code you want to execute as `ractor: [ClassName, " \
              ":method_name]`, or a block and not in_ractors"
          end
          return unless @block && @place == :ractors && @workers.positive?

          raise ArgumentError, "in_ractors needs `ractor: [ClassName, :method_name]` in place of " \
            "the block"
        end

        def count
          count = @options[PLACES.key(@place)] || ::Parallel.processor_count
          unless count.is_a?(Integer) && count >= 0
            raise ArgumentError, "worker count must be a non-negative Integer"
          end
          return count if @place != :processes || count.zero? || ::Process.respond_to?(:fork)

          warn "parallel: Process.fork is not supported by this Ruby"
          0
        end

        # In the caller, with in_ractors: 0.
        def callback
          type, name = ractor
          ->(*arguments) { type.__send__(name, *arguments) }
        end
      end
    end
  end
end
