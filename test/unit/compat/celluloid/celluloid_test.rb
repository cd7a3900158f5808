# frozen_string_literal: true

require_relative "case"

module Raffia
  class CompatCelluloidTest < CelluloidCase
    BEGINNING = CelluloidCase::BEGINNING + <<~RUBY
      class Account
        include Celluloid
        attr_reader :balance
        def initialize(balance = 0, currency: :EUR) = (@balance, @currency = balance, currency)
        def add(amount, note: nil) = (@note = note; @balance += amount)
        def fail_with(text) = raise(text)
        def refuse(text) = abort(text)
        def each_coin = 2.times.map { |number| yield number }
        def hold(gate) = gate.pop
        def pause(seconds) = (sleep(seconds); :rested)
        def told = [@balance, @currency, @note]
        private def secret = :secret
      end
    RUBY

    def test_calls_futures_and_async_calls_with_keywords
      assert_prints "[5, :USD, \"x\"]\n12\n14\nArgumentError: wrong number of arguments (given " \
      "2, expected 1)\n" \
        "ArgumentError: unknown keyword: :nope\nNoMethodError\nNoMethodError\ntrue\n", <<~RUBY
          account = Account.new(2, currency: :USD)
          account.add(3, note: "x")
          p account.told
          puts account.future.add(7).value
          account.async.add(1)
          account.async(:add, 1)
          puts account.balance
          puts said { account.add(1, 2) }
          puts said { account.add(1, nope: 2) }
          puts said { account.missing }.split(": ").first
          puts said { account.secret }.split(": ").first
          p account.alive?
        RUBY
    end

    def test_an_error_ends_the_actor_and_abort_does_not
      assert_prints "RuntimeError: no\ntrue\nRuntimeError: broken\nfalse\n" \
        "Celluloid::DeadActorError: attempted to call a dead actor: balance\n", <<~RUBY
          account = Account.new
          puts said { account.refuse("no") }
          p account.alive?
          puts said { account.fail_with("broken") }
          p account.alive?
          puts said { account.balance }
        RUBY
    end

    def test_while_one_method_waits_others_begin_unless_it_is_exclusive
      assert_prints "[:begun, :begun, :ended, :ended]\n" \
        "[:begun, :ended, :begun, :ended]\n[:begun, :ended, :begun, :ended]\n", <<~RUBY
          class Steps
            include Celluloid
            exclusive :alone
            attr_reader :steps
            def initialize = @steps = []
            def together = (@steps << :begun; wait(:go); @steps << :ended)
            def go = signal(:go)
            def alone = (@steps << :begun; sleep(0.01); @steps << :ended)
            def in_a_block = exclusive { alone }
          end
          steps = Steps.new
          futures = 2.times.map { steps.future.together }
          steps.go
          futures.each(&:value)
          p steps.steps
          %i[alone in_a_block].each do |name|
            steps = Steps.new
            2.times.map { steps.future(name) }.each(&:value)
            p steps.steps
          end
        RUBY
    end

    def test_waits_of_plain_ruby_keep_the_actors_turn
      assert_prints "[:begun, :ended, :begun, :ended]\n", <<~RUBY
        class Plain
          include Celluloid
          attr_reader :steps
          def initialize = @steps = []
          def work(queue) = (@steps << :begun; queue.pop; @steps << :ended)
        end
        plain, queue = Plain.new, Thread::Queue.new
        futures = 2.times.map { plain.future.work(queue) }
        2.times { queue << 1 }
        futures.each(&:value)
        p plain.steps
      RUBY
    end

    def test_blocks_run_where_the_caller_is
      assert_prints "[0, 10]\n[false, false]\n[:caller, :caller]\nCelluloid::Error\n", <<~RUBY
        account = Account.new
        p account.each_coin { |number| number * 10 }
        p account.each_coin { Celluloid.actor? }
        class Caller
          include Celluloid
          def ask(account) = account.each_coin { who }
          def who = Actor.current.class == Caller ? :caller : :other
        end
        p Caller.new.ask(account)
        class Keeper
          include Celluloid
          def keep(&block) = @block = block
          def use = @block.call
        end
        keeper = Keeper.new
        keeper.keep { 1 }
        puts said { keeper.use }.split(": ").first
      RUBY
    end

    def test_links_exits_and_finalizers
      assert_prints "[:told, true, \"RuntimeError\"]\nfalse\n[:finalized, :finalized]\nfalse\n",
        <<~RUBY
          SEEN = Thread::Queue.new
          class Ended
            include Celluloid
            finalizer :finish
            def finish = SEEN << :finalized
            def boom = raise("boom")
          end
          class Watcher
            include Celluloid
            trap_exit :gone
            def watch(other) = link(other)
            def gone(actor, reason) = SEEN << [:told, actor.dead?, reason.class.name]
          end
          class Linked
            include Celluloid
            def watch(other) = link(other)
          end
          ended = Ended.new
          Watcher.new.watch(ended)
          (linked = Linked.new).watch(ended)
          said { ended.boom }
          finalized = SEEN.pop
          p SEEN.pop
          wait_until { linked.dead? }
          p linked.alive?
          (other = Ended.new).terminate
          p [finalized, SEEN.pop]
          p other.alive?
        RUBY
    end

    def test_conditions_signals_receive_timers_and_timeouts
      assert_prints "[1, 2]\n:hello\n7\nnil\n[:after, :every, :every]\n" \
        "Celluloid::TaskTimeout: execution expired\nCelluloid::TaskTimeout\n" \
        "Celluloid::ConditionError\n", <<~RUBY
          class Waits
            include Celluloid
            def initialize(condition) = @condition = condition
            def condition = @condition.wait
            def late = @condition.wait(0.05)
            def signalled = wait(:name)
            def tell(value) = signal(:name, value)
            def message(timeout = nil) = receive(timeout) { |object| object.is_a?(Integer) }
            def times(queue)
              after(0.01) { queue << :after }
              @timer = every(0.03) { queue << :every }
            end
            def stop = @timer.cancel
            def limited(other) = timeout(0.05) { other.condition }
          end
          condition = Celluloid::Condition.new
          waits = Waits.new(condition)
          futures = 2.times.map { waits.future.condition }
          wait_until do
            Celluloid::Actor.cell(waits).tasks.count { |task| task.status == :condwait } == 2
          end
          condition.signal(1)
          condition.broadcast(2)
          p futures.map(&:value).sort
          future = waits.future.signalled
          waits.tell(:hello)
          p future.value
          future = waits.future.message
          wait_until do
            Celluloid::Actor.cell(waits).tasks.any? { |task| task.status == :receiving }
          end
          waits.mailbox << :other
          waits.mailbox << 7
          p future.value, waits.message(0.01)
          waits.times(queue = Thread::Queue.new)
          p 3.times.map { queue.pop }
          waits.stop
          puts said { Waits.new(condition).limited(waits) }
          puts said { waits.future.condition.value(0.01) }.split(": ").first
          puts said { waits.late }.split(": ").first
        RUBY
    end

    def test_supervisors_restart_and_delay_actors_that_keep_failing
      assert_prints "[3, 3]\ntrue\nnil\n", <<~RUBY
        Account.supervise(as: :account, args: [3])
        first = Celluloid::Actor[:account]
        said { first.fail_with("x") }
        wait_until { Celluloid::Actor[:account].alive? }
        p [first, Celluloid::Actor[:account]].map { |actor| actor.dead? ? 3 : actor.balance }
        STARTS = Thread::Queue.new
        class Loops
          include Celluloid
          def initialize = (STARTS << 1; async.fall)
          def fall = raise("again")
        end
        Loops.supervise(as: :endless)
        Kernel.sleep 0.5
        p STARTS.size < 12
        Loops.supervise(as: :limited, max_restarts: 2, period: 60)
        wait_until { !Celluloid::Actor.registered.include?(:limited) }
        p Celluloid::Actor[:limited]
      RUBY
    end

    def test_an_async_call_takes_no_block
      assert_prints "RuntimeError: Cannot use blocks with async yet\n5\n", <<~RUBY
        account = Account.new(5)
        puts said { account.async.add(1) { nil } }
        p account.balance
      RUBY
    end

    def test_a_pool_spreads_its_calls_and_replaces_those_that_fail
      expected = "[:rested, :rested, :rested, :rested]\nRuntimeError: broken\n[2, 5]\n" \
        "[true, false, true]\ntrue\n"
      assert_prints expected, <<~RUBY
        pool = Account.pool(size: 2, args: [5])
        p 4.times.map { pool.future.pause(0.01) }.map(&:value)
        puts said { pool.fail_with("broken") }
        wait_until { pool.actors.size == 2 }
        p [pool.size, pool.balance]
        p [pool.is_a?(Account), pool.is_a?(String), pool.methods.include?(:pause)]
        pool.terminate
        p pool.dead?
      RUBY
    end

    def test_notifications_and_the_registry
      assert_prints "[[\"topic.a\", 1]]\n[:heard, true]\n:heard\n", <<~RUBY
        class Hears
          include Celluloid
          include Celluloid::Notifications
          attr_reader :heard
          def initialize = (@heard = []; subscribe(/\\Atopic/, :hear))
          def hear(topic, value) = @heard << [topic, value]
        end
        Celluloid::Actor[:heard] = hears = Hears.new
        Celluloid.publish("topic.a", 1)
        Celluloid.publish("other", 2)
        wait_until { hears.heard.any? }
        p hears.heard
        p [Celluloid::Actor.registered.last, Celluloid[:heard].eql?(hears)]
        p hears.registered_name
      RUBY
    end

    def test_calls_in_a_circle_of_exclusive_actors_are_reported
      assert_prints "Raffia::CallCycle\n", <<~RUBY
        class Circle
          include Celluloid
          exclusive
          def begin(other) = other.back(Actor.current)
          def back(first) = first.answer
          def answer = 1
        end
        puts said { Circle.new.begin(Circle.new) }.split(": ").first
      RUBY
    end

    # Fibers that wait in them are not shown.
    def test_futures_and_conditions_are_shown_by_their_names
      assert_prints "true\ntrue\n", <<~RUBY
        [Celluloid::Future.new { 1 }, Celluloid::Condition.new].each do |one|
          puts one.inspect == one.to_s
        end
      RUBY
    end

    def test_a_forked_child_has_its_own_actors
      need_fork
      assert_prints "Celluloid::DeadActorError\n5\n7\n0\n", <<~RUBY
        account = Account.new
        Celluloid::Future.new { account.balance }.value
        Process.wait(fork do
          puts said { account.balance }.split(": ").first
          puts Account.new(5).balance
          puts Celluloid::Future.new { 7 }.value
        end)
        puts account.balance
      RUBY
    end

    def test_on_threads_by_the_class_of_tasks
      assert_prints "true\n12\nfalse\n", <<~RUBY
        class Blocks
          include Celluloid
          task_class Celluloid::Task::Threaded
          def here = Fiber.current_scheduler.nil?
          def both(other) = other.value + 2
        end
        class Other
          include Celluloid
          def value = 10
          def here = Fiber.current_scheduler.nil?
        end
        p Blocks.new.here, Blocks.new.both(Other.new), Other.new.here
      RUBY
    end

    def test_actors_end_with_their_finalizers_when_the_process_does
      assert_prints "ends\n", <<~RUBY
        class Last
          include Celluloid
          finalizer :finish
          def finish = puts("ends")
        end
        Last.new
      RUBY
    end

    def test_policies_of_a_full_mailbox
      assert_prints "[1, 2]\n[1, 2, \"Raffia::Full\"]\n[1, 2, 3]\n", <<~RUBY
        class Full
          include Celluloid
          mailbox_size 2
          attr_reader :seen
          def initialize = @seen = []
          def hold(gate, held) = (held << true; gate.pop)
          def see(value) = @seen << value
        end
        class Raises < Full
          mailbox_overflow :raise
        end
        class Blocks < Full
          mailbox_overflow :block
        end
        [Full, Raises, Blocks].each do |klass|
          full, gate, held = klass.new, Thread::Queue.new, Thread::Queue.new
          full.async.hold(gate, held)
          held.pop
          failed = nil
          sender = Thread.new do
            3.times { |number| full.async.see(number + 1) }
          rescue
            failed = $!.class.name
          end
          wait_until do
            Celluloid::Actor.cell(full).stats[:mailbox] == 2 && (sender.stop? || !sender.alive?)
          end
          gate << true
          sender.join
          wait_until { Celluloid::Actor.cell(full).stats[:mailbox] == 0 }
          p full.seen + [failed].compact
        end
      RUBY
    end

    def test_a_call_can_have_a_limit
      assert_prints "Celluloid::TaskTimeout\nCelluloid::TaskTimeout\ntrue\n", <<~RUBY
        class Asks
          include Celluloid
          def ask(other) = other.hold(Thread::Queue.new)
        end
        asks, held, other = Asks.new, Account.new, Account.new
        Celluloid.call_timeout = 0.05
        puts said { other.hold(Thread::Queue.new) }.split(": ").first
        puts said { asks.ask(held) }.split(": ").first
        Celluloid.call_timeout = nil
        p held.alive?
        Celluloid.shutdown_timeout = 0.1
      RUBY
    end

    def test_an_actor_ends_itself_and_others_with_private_methods_of_their_own
      assert_prints ":secret\ntrue\nfalse\n", <<~RUBY
        class Ends
          include Celluloid
          def ask = Actor.current.hidden
          def leave = (Actor.current.terminate; true)
          private def hidden = :secret
        end
        ends = Ends.new
        p ends.ask, ends.leave
        wait_until { ends.dead? }
        p ends.alive?
      RUBY
    end

    def test_timers_can_be_reset_and_cancelled_and_end_with_their_actor
      assert_prints "[:later]\n0\n", <<~RUBY
        class Timed
          include Celluloid
          def begin(queue)
            @never = after(0.01) { queue << :never }
            @never.cancel
            @later = after(60) { queue << :later }
            @later.fire
          end
          def forever(queue) = (every(0.01) { queue << 1 }; nil)
        end
        Timed.new.begin(queue = Thread::Queue.new)
        p [queue.pop]
        (timed = Timed.new).forever(queue)
        queue.pop
        timed.terminate
        wait_until { timed.dead? }
        queue.clear
        Kernel.sleep 0.1
        p queue.size
      RUBY
    end

    def test_incidents_are_published_with_what_came_before
      assert_prints "[\"before\", \"bad\"]\n", <<~RUBY
        class Collects
          include Celluloid
          include Celluloid::Notifications
          attr_reader :incident
          def initialize = subscribe(/log/, :collect)
          def collect(_topic, incident) = @incident = incident
        end
        collects = Collects.new
        logger = Celluloid::IncidentLogger.new("mine")
        logger.info("before")
        logger.error("bad")
        wait_until { collects.incident }
        p collects.incident.events.map(&:message)
      RUBY
    end

    def test_the_stack_of_all_actors_names_what_they_wait_for
      assert_prints "true\ntrue\n", <<~RUBY
        require "stringio"
        account = Account.new
        account.async.pause(60)
        account.balance
        Celluloid.stack_dump(dump = StringIO.new)
        puts dump.string.include?("@status=:sleeping")
        Celluloid.stack_summary(summary = StringIO.new)
        puts summary.string.match?(/Account, 1 tasks/)
      RUBY
    end

    def test_after_a_shutdown_nothing_begins_unasked
      assert_prints "true\nCelluloid::DeadActorError\n" \
        "Celluloid::Error: Celluloid is not yet started; use Celluloid.boot\n1\n", <<~RUBY
          account = Account.new
          p Celluloid.running?
          Celluloid.shutdown
          puts said { account.balance }.split(": ").first
          puts said { Account.new }
          Celluloid.boot
          puts Account.new(1).balance
        RUBY
    end
  end
end
