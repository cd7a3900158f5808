# frozen_string_literal: true

require_relative "../cli/cli_case"

module Raffia
  # Programs written for Celluloid, as its users write them: nothing in them is about Raffia.
  class CompatCelluloidProgramTest < CLICase
    PROGRAM = <<~'RUBY'
      require "celluloid/current"

      class Ledger
        include Celluloid

        def initialize = @lines = []
        def write(line) = @lines << line
        def lines = @lines.sort
      end

      class Worker
        include Celluloid

        def initialize(ledger) = @ledger = ledger

        def work(number)
          raise ArgumentError, "thirteen" if number == 13

          sleep 0.001
          @ledger.async.write(number * number)
          number
        end
      end

      class Boss
        include Celluloid
        include Celluloid::Notifications
        finalizer :say_goodbye

        def initialize
          subscribe("done", :note)
          @done = Celluloid::Condition.new
        end

        def note(_topic, count) = @done.signal(@count = count)

        def run(numbers)
          workers = Worker.pool(size: 3, args: [Celluloid::Actor[:ledger]])
          futures = numbers.map { |number| workers.future.work(number) }
          failures = futures.count { |future| failed?(future) }
          Celluloid.publish("done", numbers.size - failures)
          "#{failures} failed, #{@count || @done.wait} done"
        end

        def failed?(future)
          future.value
          false
        rescue ArgumentError
          true
        end

        def say_goodbye = puts("goodbye")
      end

      $stdout.sync = true
      Celluloid.logger = nil
      Ledger.supervise as: :ledger
      puts Boss.new.run((1..20).to_a)
      p Celluloid::Actor[:ledger].lines.size
    RUBY

    def test_an_unchanged_program_runs
      expected = ["1 failed, 19 done\n19\ngoodbye\n", "", 0]
      path = script(PROGRAM)
      assert_equal expected, raffia("run", "--compat", path)
        .then { |ended| [ended.out, ended.err, ended.code] }
      assert_equal expected, ruby("-rraffia/compat", path)
        .then { |ended| [ended.out, ended.err, ended.code] }
    end

    # Random waits, calls, errors and kills; each method sees whether another one runs at the same
    # time.
    STORM = <<~RUBY
      require "timeout"
      require "raffia/compat/celluloid"
      Celluloid.logger = nil

      class Node
        include Celluloid

        def work(peers, depth)
          alone do
            case rand(11)
            when 0 then waiting { sleep(rand * 0.002) }
            when 1 then waiting { sleep(0) }
            when 2 then waiting { peers.sample.work(peers, depth - 1) } if depth > 0
            when 3
              peers.sample.future.work(peers, 0).then { |future| waiting { future.value } }
            when 4 then raise "failed" if rand(20) == 0
            when 5 then late { waiting { timeout(0.0005) { sleep(0.001) } } }
            when 6 then waiting { peers.sample.each_one { |value| value } } if depth > 0
            when 7 then exclusive { Kernel.sleep(0.0001) }
            when 8 then Kernel.sleep(0.0001)
            when 9 then late { waiting { Timeout.timeout(0.0005) { sleep(0.001) } } }
            when 10
              late do
                waiting { Timeout.timeout(0.0005) { peers.sample.work(peers, depth - 1) } }
              end if depth > 0
            end
          end
        end

        def each_one = yield(1)

        private

        def late
          yield
        rescue Celluloid::TaskTimeout, Timeout::Error
          nil
        end

        def alone
          Report.push("two at a time") if @inside
          @inside = true
          yield
        ensure
          @inside = false
        end

        def waiting
          @inside = false
          yield
        ensure
          Report.push("without its turn") if @inside && current_actor.alive?
          @inside = true
        end
      end

      Report = Thread::Queue.new
      nodes = Array.new(6) { Node.new }
      asking = Array.new(4) do
        Thread.new do
          100.times do
            index = rand(nodes.size)
            begin
              nodes[index].work(nodes, 2)
            rescue Celluloid::Error, Celluloid::Interruption, RuntimeError
              nil
            end
            nodes[index].terminate if rand(50) == 0 && nodes[index].alive?
            Celluloid::Actor.kill(nodes[index]) if rand(50) == 0
            nodes[index] = Node.new unless nodes[index].alive?
          rescue Celluloid::DeadActorError
            nodes[index] = Node.new
          end
          :answered
        end
      end
      p asking.map(&:value).uniq
      puts Report.pop until Report.empty?
    RUBY

    %w[Fibered Threaded].each do |tasks|
      define_method(:"test_one_method_at_a_time_and_every_call_is_answered_#{tasks}") do
        ended = ruby(script(STORM), env: {"CELLULOID_TASK_CLASS" => tasks})
        assert_equal ["[:answered]\n", "", 0], [ended.out, ended.err, ended.code]
      end
    end
  end
end
