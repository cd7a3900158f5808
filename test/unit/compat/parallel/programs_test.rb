# frozen_string_literal: true

require_relative "case"

module Raffia
  # Behaviour that programs rely on, beyond the gem's documented interface.
  class CompatParallelProgramsTest < CompatParallelCase
    def test_children_have_the_calling_threads_locals
      assert_says <<~RUBY, [["de", :tenant, "state"], [["de", :tenant, "state"]] * 2, nil]
        Thread.current[:locale] = "de"
        Thread.current.thread_variable_set(:tenant, :tenant)
        Thread.attr_accessor :execution_state # as Rails has it
        Thread.current.execution_state = "state"
        kept = -> {
          [Thread.current[:locale], Thread.current.thread_variable_get(:tenant),
            Thread.current.execution_state]
        }
        say [kept.call, Parallel.map([1, 2], in_processes: 2) { kept.call },
          Parallel.map([1], in_threads: 1) { Thread.current[:locale] }.first]
      RUBY
    end

    def test_output_of_children_is_in_the_files
      assert_says <<~RUBY, [["0\n", "1\n", "2\n", "head\n"], %w[0 1 2]]
        require "tmpdir"
        Dir.mktmpdir do |dir|
          log = File.open(File.join(dir, "log"), "w")
          log.puts "head"
          Parallel.each_with_index(%w[a b c], in_processes: 2, isolation: true) do |_, i|
            log.puts i
            $kept = File.open(File.join(dir, i.to_s), "w")
            $kept << i
          end
          log.close
          say [File.readlines(log.path).sort, 3.times.map { |i| File.read(File.join(dir, i.to_s)) }]
        end
      RUBY
    end

    def test_a_kill_interrupts_processes_and_waits_for_threads
      assert_says <<~RUBY, [nil, [:done]]
        begun = IO.pipe
        killed = Parallel.map([1, 2], in_processes: 2) do |x|
          next begun.last.syswrite("x") && sleep if x == 2

          begun.first.sysread(1)
          raise Parallel::Kill
        end
        other, told = Thread::Queue.new, Thread::Queue.new
        done = []
        Parallel.any?([1, 2], in_threads: 2) do |x|
          next other.pop if x == 1

          other << true
          sleep 0.01 until Thread.list.none? { |thread|
            thread != Thread.current && thread.name.to_s.start_with?("raffia worker")
          }
          done << :done
          nil
        end
        say [killed, done]
      RUBY
    end

    def test_items_that_the_program_adds_to_its_array_are_processed
      assert_says <<~RUBY, [(1..7).to_a, (1..7).to_a]
        grown = ->(count) {
          [1, 2].then { |list|
            Parallel.map(list, in_threads: count) { |x| (list << x + 2 if x < 6) && x || x }.sort
          }
        }
        say [grown.call(1), grown.call(0)]
      RUBY
    end

    def test_a_closed_queue_ends_the_call
      assert_says <<~RUBY, [[1, nil, 2]]
        queue = Thread::Queue.new([1, nil, 2])
        queue.close
        say [Parallel.map(queue, in_threads: 2) { |x| x }]
      RUBY
    end

    def test_a_failure_ends_workers_that_wait_for_a_queue
      assert_says <<~RUBY, [[KeyError, "two", 0], [KeyError, "two", 0]]
        Thread.new { sleep } # who might put something into it
        say(%i[in_threads in_processes].map do |place|
          queue = Thread::Queue.new([1])
          Thread.new do
            sleep 0.01 until queue.num_waiting == 1
            queue << 2
          end
          error { Parallel.each(queue, place => 3) { |x| raise KeyError, "two" if x == 2 } } +
            [queue.num_waiting]
        end)
      RUBY
    end

    def test_an_exception_crosses_even_if_the_item_of_an_inner_call_cannot
      assert_says <<~RUBY, [[KeyError, "inner"], [KeyError, "inner"]]
        parallel = error {
          Parallel.map([1], in_processes: 1) {
            Parallel.map([proc {}], in_threads: 1) { raise KeyError, "inner" }
          }
        }
        raffia = error {
          Raffia.map([1], on: :processes) {
            Raffia.map([proc {}], on: :threads) { raise KeyError, "inner" }
          }
        }
        say [parallel, raffia]
      RUBY
    end

    def test_a_call_without_a_block_says_so
      assert_says <<~RUBY, [[ArgumentError, true]] * 3
        say [{in_threads: 1}, {in_processes: 1}, {in_threads: 0}].map { |place|
          error { Parallel.map([1], place) }.then { |type, text| [type, text.include?("no block")] }
        }
      RUBY
    end

    def test_a_total_of_the_callers_for_the_progress
      if Gem::Specification.find_all_by_name("ruby-progressbar").empty?
        skip "the gem ruby-progressbar is not installed (bin/setup)"
      end
      assert_says <<~RUBY, [[1, 2, 3], [1, 2, 3], true]
        require "stringio"
        output = StringIO.new
        say [Parallel.map(1..3, in_threads: 1, progress: {total: 2, output: output}) { |x| x },
          Parallel.map(1..3, in_processes: 1, progress: {total: nil, output: output}) { |x| x },
            output.string.include?("Progress")]
      RUBY
    end

    def test_the_gems_own_serializer
      assert_says "say Parallel.map([1], in_processes: 1, serializer: " \
        "Parallel::Serializer::Marshal) { |x| x }", [1]
    end

    # A thread that another thread kills, or that kills itself.
    def test_a_thread_that_is_killed
      assert_says <<~RUBY, ["Parallel::DeadWorker", true]
        dead = Parallel.map([:fatal], in_threads: 1) { Thread.current.kill } rescue $!
        say [dead.class.name, dead.message.include?("while it worked on item 0")]
      RUBY
    end
  end
end
