# frozen_string_literal: true

module Raffia
  class Snapshot
    # Prints a {Snapshot} for people: the longest waits first, the program's own lines of their
    # backtraces, and equal ones once.
    #
    # @api private
    class Report
      # Lines of each backtrace.
      FRAMES = 6
      # Fibers at the same place that are listed one by one.
      ALIKE = 3
      OWN = "#{File.expand_path("..", __dir__)}/".freeze
      # A hook in C is shown at its caller's line.
      HOOK = /in [`'](?:Raffia::Scheduler::Native#)?(?:block|kernel_sleep|io_wait|park|yield)'\z/
      # Files of methods that core calls.
      HOOKS = "#{OWN}scheduler/".freeze
      BOLD = "\e[1m%s\e[0m"
      FAINT = "\e[2m%s\e[0m"
      private_constant :ALIKE, :OWN, :HOOK, :HOOKS, :BOLD, :FAINT

      def initialize(snapshot, frames: FRAMES, color: false)
        @snapshot = snapshot
        @frames = frames
        @color = color
      end

      def to_s
        head = "Raffia #{VERSION}, process #{::Process.pid}, " \
          "#{@snapshot.at.utc.strftime("%F %T UTC")}"
        parts = @snapshot.loops.map { |one| scheduler(one) }
        [paint(BOLD, head), *(parts.empty? ? ["no scheduler is at work"] : parts)].join("\n\n") +
          "\n"
      end

      # The fibers of all schedulers, without their figures.
      def fibers = @snapshot.loops.map { |one| waiting(one.parked) }.join("\n")

      private

      def scheduler(one)
        [paint(BOLD, "#{one.scheduler.backend} in #{one.thread.inspect}"),
          "  #{figures(one.stats)}",
          "  the thread is at", *trace(one.backtrace), "", waiting(one.parked)].join("\n")
      end

      def figures(stats)
        %i[parked ready deepest pending live idle turns polls switches syscalls].filter_map { |name|
          "#{name} #{stats[name]}" if stats[name]
        }
          .push("longest turn #{stats[:longest_turn].round(3)} s").join(", ")
      end

      def waiting(parked)
        groups = parked.group_by { |one| [one.reason, trace(one.backtrace)] }
        width = parked.map { |one| age(one).size }.max.to_i
        groups.map { |(_reason, trace), alike| [*heads(alike, width), *trace].join("\n") }
          .join("\n")
      end

      def heads(alike, width)
        shown = alike.first(ALIKE).map { |one| head(one, width) }
        more = alike.size - ALIKE
        if more.positive?
          shown << "  and #{more} more at the same place, the last one for #{age(alike.last).strip}"
        end
        shown
      end

      def head(one, width)
        task = @snapshot.task(one)
        notes = [("fd #{one.fd}" if one.fd),
          ("for #{one.limit.round(3)} s at most" if one.limit && one.reason != :sleep),
          task&.inspect].compact
        paint(BOLD, "  ##{@snapshot.number(one).to_s.ljust(4)} #{age(one).rjust(width)}  " \
          "#{@snapshot.what(one)}") + (notes.empty? ? "" : " (#{notes.join(", ")})")
      end

      def age(one) = "#{one.age.round((one.age < 10) ? 3 : 0)} s"

      def trace(backtrace)
        frames = program(backtrace)
        shown = frames.first(@frames).map { |frame| paint(FAINT, "          #{frame}") }
        if frames.size > @frames
          shown << paint(FAINT, "          ... #{frames.size - @frames} more")
        end
        shown
      end

      # Drops our own frames, except those that the program has called.
      def program(backtrace)
        frames = backtrace.drop_while { |frame| frame.match?(HOOK) }
          .reject { |frame| frame.start_with?(HOOKS) }
        kept = frames.each_cons(2).filter_map do |frame, caller|
          frame unless own?(frame) && own?(caller)
        end
        kept << frames.last if frames.any? && (kept.empty? || !own?(frames.last))
        kept
      end

      def own?(frame) = frame.start_with?(OWN)

      def paint(style, text) = @color ? format(style, text) : text
    end
  end
end
