# frozen_string_literal: true

require_relative "case"

module Raffia
  # The interface of the gem parallel.
  class CompatParallelTest < CompatParallelCase
    PLACES = ["in_processes: 2", "in_threads: 2", "in_threads: 0"].freeze

    PLACES.each do |place|
      define_method(:"test_the_family_#{place}") do
        expected = [[[2, 4, 6], [[:a, 0], [:b, 1]], [1, 2, 2, 4], [1, 3], true, false, true, false],
          [[1, 2], 1..2, [], 1..0]]
        assert_says <<~RUBY, *expected
          say [Parallel.map([1, 2, 3], #{place}) { |x| x * 2 },
            Parallel.map_with_index(%i[a b], #{place}) { |*both| both },
            Parallel.flat_map([1, 2], #{place}) { |x| [x, x * 2] },
            Parallel.filter_map([1, 2, 3], #{place}) { |x| x if x.odd? },
            Parallel.any?([nil, 1], #{place}) { |x| x }, Parallel.any?([nil], #{place}) { |x| x },
            Parallel.all?([1, 2], #{place}) { |x| x }, Parallel.all?([1, nil], #{place}) { |x| x }]
          say [Parallel.each([1, 2], #{place}) { |x| x },
            Parallel.each_with_index(1..2, #{place}) { |x, i| x }, Parallel.map([], #{place}) { 1 },
            Parallel.each(1..0, #{place}) { 1 }]
        RUBY
      end

      define_method(:"test_hooks_#{place}") do
        expected = [[[:a, 0], [:b, 1], [:c, 2]], [[:a, 0, 1], [:b, 1, 2], [:c, 2, 3]], %i[a b c],
          [0, 1, 2]]
        assert_says <<~RUBY, expected
          numbers = {a: 1, b: 2, c: 3}
          started, finished, in_order = [], [], []
          source = numbers.keys
          finish = ->(item, index, result) { finished << [item, index, result] }
          given = Parallel.each(source, start: ->(item, index) { started << [item, index] },
            finish: finish, #{place}) { |item| numbers[item] }
          Parallel.map(source, finish: ->(_, index, _) { in_order << index },
            finish_in_order: true, #{place}) { |item| sleep(0.1) if item == :a }
          say [started.sort, finished.sort, given, in_order]
        RUBY
      end

      define_method(:"test_what_a_block_or_a_hook_raises_#{place}") do
        expected = [[KeyError, "three"], [IOError, "start"], [IOError, "finish"], 7, nil, 9]
        assert_says <<~RUBY, expected
          one = error { Parallel.map(1..3, #{place}) { |x| raise KeyError, "three" if x == 3 } }
          two = error {
            Parallel.map(1..3, start: ->(*) { raise IOError, "start" }, #{place}) { |x| x }
          }
          three = error {
            Parallel.map(1..3, finish: ->(*) { raise IOError, "finish" }, #{place}) { |x| x }
          }
          say [one, two, three, Parallel.map(1..3, #{place}) { raise Parallel::Break, 7 },
            Parallel.each(1..3, #{place}) { raise Parallel::Break },
            Parallel.map(1..3, #{place}) { raise Parallel::Kill, 9 }]
        RUBY
      end

      define_method(:"test_callables_and_queues_#{place}") do
        expected = [[3, 2, 1], [[:x, 0], [:y, 1]],
          "Progressbar can only be used with array like items"]
        assert_says <<~RUBY, expected
          all = [1, 2, 3]
          queue = Thread::Queue.new([:x, :y, Parallel::Stop])
          say [Parallel.map(-> { all.pop || Parallel::Stop }, #{place}) { |x| x },
            Parallel.map_with_index(queue, #{place}) { |*both| both },
            error { Parallel.map(-> {}, progress: true, #{place}) { 1 } }.last]
        RUBY
      end
    end

    def test_a_failure_ends_the_feed_and_waits_for_running_items
      assert_says <<~RUBY, ["two", true, [1]]
        begun, ended = 0, []
        other, failed = Thread::Queue.new, Thread::Queue.new
        what = error do
          Parallel.map(1..100, in_threads: 2, start: ->(*) { begun += 1 },
            finish: ->(x, *) { ended << x }) do |x|
            next other.push(:here).close && failed.pop if x == 1

            other.pop
            failed.close
            raise KeyError, "two"
          end
        end
        say [what.last, begun < 5, ended]
      RUBY
    end

    def test_worker_numbers
      assert_says <<~RUBY, [[0, 1], [0, 1], [0], nil]
        # Each waits for the other, so neither can have both.
        numbers = lambda do |place|
          pipes = Array.new(2) { IO.pipe }
          Parallel.map(0..1, place => 2) do |mine|
            pipes[mine].last.syswrite("x")
            pipes[1 - mine].first.sysread(1)
            Parallel.worker_number
          end.sort
        end
        say [numbers.call(:in_processes), numbers.call(:in_threads),
          Parallel.map([1], in_threads: 0) { Parallel.worker_number }, Parallel.worker_number]
      RUBY
    end

    def test_processes
      assert_says <<~RUBY, [true, [0, 1, 2], 4, %w[r r], [1]]
        pids = Parallel.in_processes(3) { Process.pid }
        say [(pids + [Process.pid]).uniq.size > 1 && !pids.include?(Process.pid),
          Parallel.in_processes(3) { |i| i },
          Parallel.map(1..4, in_processes: 2, isolation: true) { Process.pid }.uniq.size,
          # A forked worker has the items, so they need not be dumped.
          Parallel.map([proc { "r" }] * 2, in_processes: 2) { |item| item.call },
          Parallel.map([1], in_processes: 1, preserve_results: false) { proc {} }]
      RUBY
    end

    def test_dead_workers
      assert_says <<~RUBY, ["Parallel::DeadWorker"] * 3, [true, true, true, true]
        killed = Parallel.map([1]) { Process.kill(:KILL, Process.pid) } rescue $!
        exited = Parallel.map([1]) { exit } rescue $!
        mute = Parallel.map([1]) { proc {} } rescue $!
        say [killed, exited, mute].map { |it| it.class.name }
        say [killed.message.include?("SIGKILL while it worked on item 0"),
          killed.cause.is_a?(Raffia::WorkerDied), exited.message.include?("SystemExit"),
          mute.message.include?("Marshal")]
      RUBY
    end

    def test_exceptions_that_marshal_cannot_dump
      assert_says <<~RUBY, ["Parallel::UndumpableException", "Mute: no", true], "value"
        class Mute < StandardError
          def initialize = (super("no"); @lock = Mutex.new)
        end
        refused = Parallel.map([1]) { raise Mute } rescue $!
        say [refused.class.name, refused.message, refused.backtrace.first.start_with?("-e:")]
        say Parallel.map([1]) { begin; raise Mute; rescue; raise Parallel::Break, "value"; end }
      RUBY
    end

    def test_ractors
      assert_says <<~RUBY, [[2, 3], [[1, 0], [2, 1]], [ArgumentError, true], [KeyError, "x"], [3]]
        module Work
          def self.one(x) = x + 1
          def self.two(x, i) = [x, i]
          def self.bad(x) = raise(KeyError, "x")
        end
        say [Parallel.map(1..2, in_ractors: 2, ractor: [Work, :one]),
          Parallel.map_with_index(1..2, in_ractors: 2, ractor: [Work, :two]),
          error { Parallel.map(1..2, in_ractors: 2) { 1 } }.then { |type, text|
            [type, text.include?("ractor: [ClassName, :method_name]")]
          },
          error { Parallel.map(1..2, in_ractors: 2, ractor: [Work, :bad]) },
          Parallel.map([2], in_ractors: 0, ractor: [Work, :one])]
      RUBY
    end

    def test_invalid_arguments
      expected = [ArgumentError, ArgumentError, ArgumentError, ArgumentError, RuntimeError,
        RuntimeError]
      assert_says <<~RUBY, expected
        say [error { Parallel.map([1], in_processes: 1, in_threads: 1) { 1 } },
          error { Parallel.map([1], in_threads: -1) { 1 } },
          error { Parallel.in_threads({}) { 1 } },
          error { Parallel.map([1], serializer: Object.new) { 1 } },
          error { Parallel.map([1], in_threads: 1, interrupt_signal: :TERM) { 1 } },
          error { Parallel.any?([1]) }].map(&:first)
      RUBY
    end

    def test_processors
      assert_says "say [Parallel.processor_count.positive?, " \
        "Parallel.physical_processor_count.between?(1, Parallel.processor_count)]", [true, true]
      assert_says %(ENV["PARALLEL_PROCESSOR_COUNT"] = "7"\nsay Parallel.processor_count), 7
    end

    def test_a_signal_of_the_callers_choice_ends_the_workers
      assert_says <<~RUBY, ["mine", "Parallel::DeadWorker", true]
        before = trap(:USR1) { $seen = "mine" }
        ended = begin
          Parallel.map([1, 2], in_processes: 2, interrupt_signal: "SIGUSR1") do |item|
            Process.kill(:USR1, Process.ppid) if item == 1
            sleep
          end
        rescue Parallel::DeadWorker => dead
          dead
        end
        say [$seen, ended.class.name, trap(:USR1, "DEFAULT").is_a?(Proc)]
      RUBY
    end

    def test_progress
      program = <<~RUBY
        $stdout.sync = true
        Parallel.map(1..3, progress: "Threads", in_threads: 2) { 1 }
        Parallel.each(1..300, progress: {title: "Processes"}, in_processes: 2) { 1 }
        Parallel.map(1..3, progress: true, in_processes: 0, finish: ->(*) {}) { 1 }
      RUBY
      output = output_of(%(require "raffia/compat/parallel"\n#{program}))
      %w[Threads Processes Progress].each { |title| assert_match(/#{title}: \|=+\|/, output) }
    end
  end
end
