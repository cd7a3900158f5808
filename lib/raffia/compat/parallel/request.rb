# frozen_string_literal: true

require_relative "hooks"
require_relative "item_feed"

module Raffia
  module Compat
    module Parallel
      # Checked options of one call.
      #
      # @api private
      class Request
        EXECUTORS = {in_processes: :processes, in_threads: :threads, in_ractors: :ractors}.freeze
        private_constant :EXECUTORS

        # :processes, :threads or :ractors.
        attr_reader :executor
        # Number of workers; 0 runs items in the caller.
        attr_reader :workers
        # Array of items, nil when a {producer} gives them.
        attr_reader :items
        # Callable that gives items one by one, nil when there are {items}.
        attr_reader :producer
        attr_reader :source, :hooks

        # `default_count`: callable that returns the number of workers when the options have none.
        def initialize(source, options, block, default_count)
          @source = source
          @options = options
          @block = block
          @default_count = default_count
          read_source
          @executor = choose_executor
          @workers = [@producer ? Float::INFINITY : @items.size, count].min
          check
          @with_index = !!options[:with_index]
          @work = block || callback
          @hooks = Hooks.new(options, @producer ? nil : @items.size)
        end

        def perform(item, index) = @with_index ? @work.call(item, index) : @work.call(item)

        def ractor = @options[:ractor]

        def with_index? = @with_index

        def queue? = !@items && !@source.respond_to?(:call)

        def results? = !@options[:discard_results] && @options[:preserve_results] != false

        # Whether workers have to send results back.
        def wanted? = results? || @hooks.finish?

        def isolation? = !!@options[:isolation]

        def interrupt_signal = @options[:interrupt_signal]

        private

        def read_source
          @producer = if @source.respond_to?(:call) then @source
          elsif @source.respond_to?(:num_waiting) && @source.respond_to?(:pop) then -> { pop }
          end
          @items = @source.to_a unless @producer
        end

        # A closed empty queue returns nil for ever.
        def pop
          item = @source.pop
          if item.nil? && @source.respond_to?(:closed?) && @source.closed? && @source.empty?
            ItemFeed::STOP
          else
            item
          end
        end

        def choose_executor
          given = EXECUTORS.keys.select { |name| @options[name] }
          if given.size > 1
            raise ArgumentError, "Use only one of `in_processes`, `in_threads`, or `in_ractors`."
          end
          return EXECUTORS[given.first] if given.any?

          (RUBY_ENGINE == "jruby") ? :threads : :processes
        end

        def check
          check_ractor
          unless @block || ractor || @items == []
            raise ArgumentError, "there is no block: give the work, as in Parallel.map(items) { " \
              "|item| ... }"
          end
          if interrupt_signal && @executor == :threads
            raise "interrupt_signal is no longer supported for threads"
          end
          return unless @options[:serializer] && !@options[:serializer].equal?(Marshal)

          raise ArgumentError, "serializer: only Marshal is provided by raffia/compat/parallel"
        end

        # Without workers (in_ractors: 0) a block is allowed.
        def check_ractor
          if @block ? ractor : !ractor && @executor == :ractors
            raise ArgumentError, "pass the code you want to execute as `ractor: [ClassName, " \
              ":method_name]`, or a block and not in_ractors"
          end
          return unless @block && @executor == :ractors && @workers.positive?

          raise ArgumentError, "in_ractors needs `ractor: [ClassName, :method_name]` in place of " \
            "the block"
        end

        def count
          count = @options[EXECUTORS.key(@executor)] || @default_count.call
          unless count.is_a?(Integer) && count >= 0
            raise ArgumentError, "worker count must be a non-negative Integer"
          end
          return count if @executor != :processes || count.zero? || ::Process.respond_to?(:fork)

          warn "parallel: Process.fork is not supported by this Ruby"
          0
        end

        def callback
          type, name = ractor
          ->(*arguments) { type.__send__(name, *arguments) }
        end
      end
    end
  end
end
