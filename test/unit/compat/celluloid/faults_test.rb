# frozen_string_literal: true

require_relative "case"

module Raffia
  # Faults of programs for Celluloid, which must not hang, lose or wreck anything else.
  class CompatCelluloidFaultsTest < CelluloidCase
    BEGINNING = CelluloidCase::BEGINNING + <<~RUBY
      Celluloid.shutdown_timeout = 0.2
      class Worker
        include Celluloid
        def ping = :pong
        def hold(gate) = gate.pop
        def boom(kind = RuntimeError) = raise(kind, "boom")
        def each = (3.times { |number| yield number }; :done)
        def leave = terminate
      end
      GATE = Thread::Queue.new
    RUBY

    # Sidekiq 3 ends its busy workers so: each has told its thread, and a condition is signalled
    # after that.
    def test_methods_that_pass_their_thread_on_have_one_of_their_own
      assert_prints "[false, true, true]\n:stopped\n[:shut_down, :shut_down]\n", <<~RUBY
        class Shutdown < Interrupt; end
        class Busy
          include Celluloid
          def work(told)
            1.times { told << Thread.current }
            Kernel.sleep(60)
          rescue Shutdown
            told << :shut_down
          end
        end
        class Boss
          include Celluloid
          def initialize = @condition = Celluloid::Condition.new
          def stop(threads)
            after(0.01) do
              threads.each { |thread| thread.raise(Shutdown) }
              @condition.signal
            end
            @condition.wait
            :stopped
          end
        end
        module Named
          def thread = Thread.current.name
        end
        class Inherits < Busy; include Named; end
        uses = Celluloid::Internals::ThreadUse
        p [uses.in?(Boss), uses.in?(Busy), uses.in?(Inherits)]
        told = Thread::Queue.new
        Array.new(2) { Busy.new }.each { |actor| actor.async.work(told) }
        p Boss.new.stop(Array.new(2) { told.pop })
        p Array.new(2) { told.pop }
      RUBY
    end

    # A task that rescues its end may go on for a moment after its actor.
    def test_a_timer_of_a_dead_actor_does_not_keep_the_process
      assert_prints ":rescued\n", <<~RUBY
        class Poller
          include Celluloid
          def poll(told)
            sleep(60)
          rescue Celluloid::TaskTerminated
            Kernel.sleep(0.1) # its actor is dead by now
            after(60) { poll(told) }
            told << :rescued
          end
        end
        told = Thread::Queue.new
        poller = Poller.new
        poller.async.poll(told)
        wait_until { poller.tasks.any? { |task| task.status == :sleeping } }
        poller.terminate
        p told.pop
      RUBY
    end

    def test_rubys_timeout_ends_a_wait_and_the_actor_continues_in_its_turn
      %w[Fibered Threaded].each do |tasks|
        assert_prints ":late\n:pong\n[:late, true]\n:pong\n", <<~RUBY
          require "timeout"
          class Asks
            include Celluloid
            task_class Celluloid::Task::#{tasks}
            attr_reader :steps
            def initialize = @steps = []
            def ask(other)
              Timeout.timeout(0.05) { other.hold(GATE) }
            rescue Timeout::Error
              @steps << :late
              :late
            end
            def hold(held, gate) = (@steps << :held; held << true; gate.pop; @steps << :let_go)
            def ping = :pong
          end
          asks = Asks.new
          p asks.ask(Worker.new)
          GATE << true # the answer comes, and nobody waits for it any more
          p asks.future.ping.value(20)
          asks.steps.clear
          asking = asks.future.ask(Worker.new)
          asks.async.hold(held = Thread::Queue.new, gate = Thread::Queue.new)
          held.pop
          Kernel.sleep 0.2
          gate << true
          p [asking.value(20), asks.steps.each_cons(2).include?(%i[held let_go])]
          p asks.future.ping.value(20)
        RUBY
      end
    end

    def test_exit_in_an_actor_without_a_caller_ends_the_program
      assert_prints "ended\n", <<~RUBY, status: 3
        Celluloid.shutdown_timeout = 20
        class Ends
          include Celluloid
          finalizer :ended
          def leave = exit(3)
          def ended = puts("ended")
        end
        Ends.new.async.leave
        GATE.pop
      RUBY
    end

    def test_an_actor_whose_new_fails_is_gone
      assert_prints "ArgumentError\nRuntimeError\nArgumentError\n", <<~RUBY
        class Refuses < Worker
          def initialize(text) = abort(text)
        end
        worker = Worker.new
        before = Celluloid::Actor.all.size
        puts said { Refuses.new }.split(":").first, said { Refuses.new("no") }.split(":").first
        class Tries < Worker
          def try = Refuses.new_link
        end
        tries = Tries.new
        puts said { tries.try }.split(":").first
        wait_until { tries.dead? && Celluloid::Actor.all.size == before }
      RUBY
    end

    def test_jumping_out_of_the_block_of_a_call_keeps_the_actor_alive
      assert_prints "[10, :pong, 0]\n[10, :pong, 0]\n", <<~RUBY
        class Alone < Worker
          exclusive
        end
        [Worker, Alone].each do |kind|
          worker = kind.new
          broken = worker.each { |number| break number + 10 }
          pong = worker.future.ping.value(20)
          wait_until { Celluloid::Actor.cell(worker).tasks.empty? }
          p [broken, pong, Celluloid::Actor.cell(worker).tasks.size]
        end
      RUBY
    end

    def test_the_actor_continues_when_the_caller_of_its_block_has_ended
      assert_prints ":pong\n:pong\n:pong\n:pong\n", <<~RUBY
        class Yields < Worker
          def later(held, gate) = (held << true; gate.pop; yield)
        end
        class Alone < Yields
          exclusive
        end
        class Asks < Worker
          def ask(other, held, gate) = other.later(held, gate) { 1 }
        end
        [Yields, Alone].each do |kind|
          worker, asks, held, gate = kind.new, Asks.new, Thread::Queue.new, Thread::Queue.new
          asks.async.ask(worker, held, gate)
          held.pop
          asks.terminate
          gate << true
          p worker.future.ping.value(20)
          caller = Thread.new { worker.later(held, gate) { 1 } }
          held.pop
          caller.kill.join
          gate << true
          p worker.future.ping.value(20)
        end
      RUBY
    end

    def test_a_finalizer_that_hangs_can_be_killed_and_the_caller_has_his_error
      %w[Fibered Threaded].each do |tasks|
        assert_prints "RuntimeError: boom\ntrue\n", <<~RUBY
          class Hangs < Worker
            task_class Celluloid::Task::#{tasks}
            finalizer :hang
            def hang = (HELD << true; GATE.pop)
          end
          HELD = Thread::Queue.new
          hangs = Hangs.new
          future = hangs.future.boom
          HELD.pop
          Celluloid::Actor.kill(hangs)
          puts said { future.value(20) }
          Celluloid::Actor.join(hangs, 20)
          p hangs.dead?
        RUBY
      end
    end

    def test_a_logger_that_fails_keeps_no_caller_waiting
      assert_prints "RuntimeError: boom\ntrue\n:pong\n", <<~RUBY
        Raffia::Actor.log = Logger.new(nil)
        Celluloid.logger = Class.new(Logger) { def error(*) = raise("disk full") }.new($stdout)
        worker = Worker.new
        puts said { worker.future.boom.value(20) }
        p worker.dead?
        p Worker.new.future.ping.value(20)
      RUBY
    end

    def test_a_call_with_a_block_has_the_limit_too
      assert_prints "Celluloid::TaskTimeout\n", <<~RUBY
        worker = Worker.new
        Celluloid.call_timeout = 0.05
        said { worker.hold(GATE) { 1 } }
        puts said { worker.hold(GATE) { 1 } }[/[^:]+::\\w+/]
      RUBY
    end

    def test_a_thread_that_an_exclusive_actor_has_begun_may_call_it
      assert_prints ":pong\n", <<~RUBY
        class Alone < Worker
          exclusive
          def begin(me) = Thread.new { said { me.ping } }
        end
        alone = Alone.new
        p alone.begin(alone).value
      RUBY
    end

    def test_the_first_actors_of_several_threads_find_one_whole_system
      assert_prints "[:ok, :ok, :ok, :ok]\n1\n", <<~RUBY, beginning: ""
        require "raffia/compat/celluloid"
        Celluloid::Actor::System.prepend(Module.new { def start = (Kernel.sleep(0.05); super) })
        class Hears
          include Celluloid
          include Celluloid::Notifications
          def initialize = subscribe("x", :hear)
          def system = Celluloid.actor_system
        end
        threads = 4.times.map { |number| Thread.new { Kernel.sleep(number * 0.02); Hears.new } }
        actors = threads.map(&:value)
        p actors.map { |actor| actor.alive? ? :ok : :dead }
        p actors.map(&:system).uniq.size
      RUBY
    end

    def test_a_shutdown_from_within_and_while_others_begin_ends_all
      assert_prints ":done\n0\n0\n:pong\n", <<~RUBY
        Celluloid.shutdown_timeout = 20
        class Ends < Worker
          def shut_down = (Celluloid.shutdown; :done)
          def multiply = every(0.001) { Worker.new }
        end
        system = Celluloid.actor_system
        p Ends.new.shut_down
        wait_until { system.cells.empty? }
        p system.cells.size
        Celluloid.boot
        Ends.new.multiply
        Kernel.sleep 0.05
        system = Celluloid.actor_system
        Celluloid.shutdown
        p system.cells.size
        Celluloid.boot
        p Worker.new.ping
      RUBY
    end

    def test_booting_twice_changes_nothing
      assert_prints "true\n", <<~RUBY
        Worker.supervise(as: :worker)
        before = Celluloid::Actor.all.size
        Celluloid.boot
        p Celluloid::Actor.all.size == before
      RUBY
    end

    def test_nothing_is_kept_of_actors_that_have_ended
      assert_prints "0\n0\nCelluloid::MailboxDead: attempted to receive from a dead mailbox\n",
        <<~RUBY
          class Watches < Worker
            def watch(other) = monitor(other)
          end
          watched = Worker.new
          20.times { (watches = Watches.new).watch(watched); watches.terminate }
          p Celluloid::Actor.cell(watched).links.to_a.size
          (ended = Worker.new).terminate
          3.times { |object| ended.mailbox << object }
          p ended.mailbox.size
          puts said { ended.mailbox.receive(0.01) }
        RUBY
    end

    def test_an_actor_can_fork
      need_fork
      assert_prints "[:slept, :pong, \"Celluloid::NotActorError\", " \
        "\"Celluloid::DeadActorError\"]\n" \
        "0\n:pong\n", <<~RUBY
          class Forks < Worker
            def fork_off(me)
              pid = fork do
                tries = [-> { current_actor }, -> { me.ping }]
                errors = tries.map { |try| said(&try)[/\\w+::\\w+/] }
                p [sleep(0.01) && :slept, Worker.new.ping, *errors]
              end
              Process.wait(pid)
              $?.exitstatus
            end
          end
          forks = Forks.new
          p forks.fork_off(forks), forks.ping
        RUBY
    end

    def test_a_finalizer_that_fails_badly_and_a_block_that_does
      assert_prints "true\ntrue\n:pong\n", <<~RUBY
        class Bad < Worker
          finalizer :finish
          def finish = raise(NotImplementedError)
          def look = receive { raise "no" }
        end
        (bad = Bad.new).terminate
        p bad.dead?
        (bad = Bad.new).async.look
        wait_until { Celluloid::Actor.cell(bad).tasks.any? { |task| task.status == :receiving } }
        bad.mailbox << 1
        wait_until { bad.dead? }
        p bad.dead?
        p Worker.new.future.ping.value(20)
      RUBY
    end

    def test_a_full_subscriber_does_not_affect_the_others
      assert_prints "true\n:pong\n", <<~RUBY
        class Hears < Worker
          include Celluloid::Notifications
          def initialize(heard) = (@heard = heard; subscribe("topic", :hear))
          def hear(_topic, number) = @heard << number
        end
        class Full < Hears
          mailbox_size 1
          mailbox_overflow :raise
          def busy(held) = (held << true; GATE.pop)
        end
        full, hears = Full.new([]), Hears.new(heard = Thread::Queue.new)
        full.async.busy(held = Thread::Queue.new)
        held.pop
        3.times { |number| Celluloid.publish("topic", number) }
        p heard.pop + heard.pop + heard.pop == 3
        GATE << true
        p hears.ping
      RUBY
    end

    def test_the_error_of_a_linked_actor_comes_back_through_all_that_called
      assert_prints "RuntimeError: the end\nCelluloid::TaskTerminated\n" \
        "RuntimeError: the end\nRuntimeError: the end\n", <<~RUBY
          class Chain < Worker
            finalizer :finish
            def initialize(length) = @next = (Chain.new_link(length - 1) if length > 1)
            def fall = @next ? @next.fall : raise("the end")
            def wait_long = wait(:never)
            def told = begin; @next.fall; rescue => error; "\#{error.class}: \#{error.message}"; end
            def finish = nil
          end
          chain = Chain.new(20)
          future = chain.future.wait_long
          puts said { chain.fall }
          puts said { future.value(20) }.split(": ").first
          puts Chain.new(2).told
          puts Celluloid::Future.new { said { Chain.new(3).fall } }.value
        RUBY
    end

    def test_the_logger_as_a_module
      assert_prints "INFO hello\n", <<~RUBY
        class Says < Worker
          include Celluloid::Internals::Logger
          def say = info("hello")
        end
        formatter = ->(level, _, _, text) { "\#{level} \#{text}\\n" }
        Celluloid.logger = Logger.new($stdout, formatter: formatter)
        Says.new.say
      RUBY
    end

    def test_an_incident_without_a_system_is_kept
      assert_prints "[\"bad\"]\n", <<~RUBY
        logger = Celluloid::IncidentLogger.new("mine")
        Worker.new
        Celluloid.shutdown
        logger.error("bad")
        p logger.flush.map(&:message)
      RUBY
    end
  end
end
