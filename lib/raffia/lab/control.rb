# frozen_string_literal: true

module Raffia
  module Lab
    # Runs the work of an experiment: by Raffia.map, or in a control, as a plain Ruby program does
    # it. Goals of parallel work compare with controls, because they show what the machine has to
    # give at that moment.
    module Control
      VARIANTS = {plain_processes: :processes, plain_ractors: :ractors,
                  plain_threads: :threads}.freeze

      extend self

      # Calls the work with each item, and returns the results in the order of the items. Options
      # are for Raffia.map; the controls have none.
      def map(setting, items, work, **options)
        control = VARIANTS[setting.variant]
        return public_send(control, items.to_a, setting.workers, work) if control
        workers = setting.workers unless setting.variant == :auto
        Raffia.map(items, on: setting.variant, workers: workers, **options, &work)
      end

      # One fork for each worker, which gets its share of the items at the start.
      def processes(items, workers, work)
        programs = items.each_slice(items.size.ceildiv(workers)).map { |slice| start(slice, work) }
        programs.flat_map { |pid, output| finish(pid, output) }
      end

      # One Ractor.new for each worker, which gets its share of the items at the start.
      def ractors(items, workers, work)
        ractors = items.each_slice(items.size.ceildiv(workers)).map do |slice|
          Ractor.new(slice, work) { |mine, call| mine.map { |item| call.call(item) } }
        end
        # Ruby 4.0 renamed take.
        ractors.flat_map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }
      end

      # One Thread.new for each item, all at once. Raises ThreadError when the system gives no
      # further thread.
      def threads(items, _workers, work)
        items.map { |item| Thread.new { work.call(item) } }.map(&:value)
      end

      private

      def start(slice, work)
        output, input = IO.pipe(binmode: true)
        pid = ::Process.fork do
          Marshal.dump(slice.map { |item| work.call(item) }, input)
          input.close
          exit!(0)
        end
        input.close
        [pid, output]
      end

      def finish(pid, output)
        Marshal.load(output.read) # rubocop:disable Security/MarshalLoad -- written by our child
      ensure
        output.close
        ::Process.wait(pid)
      end
    end
  end
end
