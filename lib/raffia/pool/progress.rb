# frozen_string_literal: true

module Raffia
  class Pool
    # Shows the progress of a call on standard error: a bar by the gem ruby-progressbar at a
    # terminal, plain lines otherwise.
    #
    # @api private
    module Progress
      def self.for(wish, total, out: $stderr)
        return unless wish

        title = wish.is_a?(String) ? wish : "raffia"
        total = nil unless total.is_a?(Integer)
        bar(title, total, out) || LineWriter.new(title, total, out)
      end

      def self.bar(title, total, out)
        return unless out.respond_to?(:tty?) && out.tty?

        Optional.gem("ruby-progressbar", "~> 1.13", for: "progress bars")
        Bar.new(title, total, out)
      rescue MissingDependency
        nil
      end
      private_class_method :bar

      class Bar
        def initialize(title, total, out)
          format = total ? "%t: %c/%C |%B| %E" : "%t: %c %B"
          @bar = ::ProgressBar.create(title: title, total: total, output: out, format: format)
        end

        def add(count) = @bar.progress += count
        def finish = @bar.stop
      end

      class LineWriter
        EVERY = 2.0

        def initialize(title, total, out)
          @title = title
          @total = total
          @out = out
          @done = 0
          @next = Clock.now + EVERY
        end

        def add(count)
          @done += count
          return if Clock.now < @next

          @next = Clock.now + EVERY
          print
        end

        def finish = print

        private

        def print
          @out.puts(
            "#{@title}: #{@done}#{" of #{@total} (#{100 * @done / @total}%)" if @total&.positive?}"
          )
        end
      end
    end
  end
end
