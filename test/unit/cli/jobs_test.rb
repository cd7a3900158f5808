# frozen_string_literal: true

require "test_helper"
require "io/console"
require "json"
require "pty"
require "shellwords"
require "stringio"
require "tempfile"
require "tmpdir"
require "raffia/cli"
require "raffia/jobs"

module Raffia
  # `raffia jobs`, on a store of this process.
  class CLIJobsTest < TestCase
    class TidyJob
      include Raffia::Job

      options queue: "tidy"
      def perform(*) = nil
    end

    class RatedJob
      include Raffia::Job

      options rate: 5, per: 1, rate_key: ->(name) { name }
      def perform(name) = name
    end

    class TidyFunction
      include Raffia::Durable

      def call(number) = step(:tidy) { number }
    end

    def setup
      super
      Jobs.store = @store = Jobs::Store.open("memory:")
    end

    def teardown
      Jobs.store = Jobs::Store.open("memory:")
      super
    end

    # @return [String] what it answers
    def jobs(*argv, code: 0)
      out = StringIO.new
      @err = StringIO.new
      assert_equal(code, CLI.call(["jobs", *argv], out: out, err: @err), @err.string)
      out.string
    end

    # @return [String] what it answers on a terminal of so many columns
    def on_terminal(columns, *argv)
      PTY.open do |master, terminal|
        terminal.winsize = [24, columns]
        reader = Thread.new { read(master) }
        assert_equal(0, CLI.call(["jobs", *argv], out: terminal, err: terminal))
        terminal.close
        return reader.value.delete("\r")
      end
    end

    # A terminal without a writer cannot be read.
    def read(master)
      text = +""
      loop { text << master.readpartial(4096) }
    rescue EOFError, Errno::EIO
      text.force_encoding(Encoding::UTF_8)
    end

    def build_workflow
      Raffia::Workflow.new("orders") do |w|
        w.job :list, TidyJob
        w.each :parcel, TidyJob, from: :list
        w.job :a_very_long_name_of_a_step_that_has_no_end, TidyJob, after: :list
      end.start
      finish('"no list"')
      @store.discard(@store.claim(@lease, ["tidy"], 1).first)
    end

    def finish(result)
      @lease ||= @store.enroll("test:1:a", {}, ttl: 600)
      claim = @store.claim(@lease, ["tidy"], 1).first
      claim.result = result
      @store.ack([claim])
    end

    def json(*argv, **options) = JSON.parse(jobs(*argv, "--json", **options))

    def test_a_workflow_fits_into_the_terminal
      build_workflow
      error = "the result of list is no list but String: return_value of its job must be an Array"
      wide = on_terminal(240, "workflow", "orders")
      assert_match(/^step +state +kind +class +after +jid +error$/, wide)
      assert_match(/^parcel +dead +each +\S+TidyJob +list +#{error}$/, wide)
      assert_includes(on_terminal(200, "workflow", "orders"), "#{error[0, 49]}…\n")
      narrow = on_terminal(40, "workflow", "orders")
      assert_equal(40, narrow.lines.map { |line| line.chomp.size }.max)
      assert_includes(narrow, <<~TEXT)
        parcel: dead
          each Raffia::CLIJobsTest::TidyJob
          after list
          the result of list is no list but
          String: return_value of its job must
          be an Array
      TEXT
      assert_includes(narrow, "a_very_long_name_of_a_step_that_has_no_e\nnd: dead\n")
    end

    def test_a_workflow_as_text_and_json
      build_workflow
      text = jobs("workflow", "orders")
      assert_match(/\Afailed\n3 steps, 0 pending, 2 dead\nsince .* UTC\nended .* UTC\n\nstep /, text)
      assert_match(/^and 2 more: --limit 3 shows all$/, jobs("workflow", "orders", "--limit", "1"))
      found = json("workflow", "orders")
      assert_equal(["orders", "failed"], found.values_at("id", "state"))
      assert_equal(%w[list parcel], found["nodes"].map { |node| node["name"] }.first(2))
      assert_empty(jobs("workflow", "none", code: 2))
      assert_match(/there is no workflow none: it may have been removed/, @err.string)
    end

    def test_elements_follow_their_step_and_undos_come_last
      Raffia::Workflow.new("fan") do |w|
        w.job :list, TidyJob, undo: TidyJob
        w.each :parcel, TidyJob, from: :list
        w.job :last, TidyJob, after: :parcel
      end.start
      finish("[1,2]")
      finish("1")
      assert_match(/^parcel +active, 1 of 2 .*\nparcel\[0\] .*\nparcel\[1\] .*\nlast /,
        jobs("workflow", "fan"))
      Raffia::Workflow.find("fan").cancel
      assert_match(/\Aundoing: cancelled by hand\n.*^last .*\nundo list .*\n\z/m,
        jobs("workflow", "fan"))
    end

    class WaitingFlow
      include Raffia::Durable

      def call = wait_for(:go)
    end

    def test_durable_functions
      assert_match(/There are none/, jobs("flows"))
      id = WaitingFlow.start
      claim = @store.claim(@store.enroll("test:1:x", {}, ttl: 600), ["default"], 1).first
      step = Jobs::FlowStep.new(place: "0", kind: "step", name: "create", value: "[5]")
      @store.record_step(claim, step)
      wait = step.with(place: "1", kind: "wait", name: "go", signal: "go", value: nil)
      @store.await_step(claim, wait, nil)
      @store.signal_flow(id, "other", "1")
      assert_match(/^#{id} .*WaitingFlow +waiting +2 +20/, jobs("flows", "waiting"))
      assert_equal([], json("flows", "done"))
      assert_equal(%w[0 1], json("flow", id)["history"].map { |one| one["place"] })
      text = jobs("flow", id)
      assert_match(/^status: waiting$/, text)
      assert_match(/^signals not taken: other$/, text)
      assert_match(/^0 +step +create +\[5\]$/, text)
      assert_match(/^1 +wait +go +until signal go$/, text)
      refute_equal("", jobs("flow", "none", code: 2).then { @err.string })
    end

    class RedactedFlow
      include Raffia::Durable

      options redact: true
      def call(*) = nil
    end

    def test_hidden_values_of_durable_functions_are_shown_on_demand
      id = with_secrets("#{self.class}::RedactedFlow")
      told = jobs("flow", id) + jobs("flow", id, "--json") + jobs("flows") + jobs("flows", "--json")
      refute_includes(told, "plain")
      assert_match(/^error: RuntimeError: \(redacted\)$/, told)
      assert_match(/^0 +step +charge +\(redacted\)$/, told)
      assert_match(/^0 +step +charge +\["plain"\]$/, jobs("flow", id, "--reveal"))
      assert_match(/^result: \(hidden, because the class is not loaded here\)$/,
        jobs("flow", with_secrets("OfAnotherProgram")))
    end

    # @return [String] id of a function of this class that has ended
    def with_secrets(name)
      payload = {"class" => name, "args" => [], "jid" => Jobs::Payload.id, "queue" => "default",
                 "raffia" => {"flow" => {"class" => name}}}
      id = @store.enqueue([Jobs::Draft.of(payload)]).first
      claim = @store.claim(@store.enroll("test:1:x", {}, ttl: 600), ["default"], 1).first
      @store.load_flow(claim)
      @store.record_step(claim,
        Jobs::FlowStep.new(place: "0", kind: "step", name: "charge", value: "[\"plain\"]"))
      @store.close_flow(claim, "cancelled", result: "\"plain\"", error: "RuntimeError: plain")
      id
    end

    def test_looking
      jid = TidyJob.perform_async(1, {"a" => [nil, true]})
      TidyJob.perform_in(3600, 2)
      counts = json("stats")
      assert_equal({"queue" => 1, "scheduled" => 1, "dead" => 0},
        counts.slice("queue", "scheduled", "dead"))
      assert_match(/^queue +1$/, jobs("stats"))
      assert_equal([["tidy", 1]], json("queues").map { |queue| queue.values_at("name", "size") })
      assert_match(/^tidy +1 /, jobs("queues"))
      assert_equal([jid], json("list", "queue:tidy").map { |one| one["job"]["jid"] })
      assert_match(/^#{jid} .*TidyJob +\[1,\{"a":\[null,true\]\}\] +tidy/,
        jobs("list", "queue", "tidy"))
      assert_match(/20\d\d-\d\d-\d\d .* UTC$/, jobs("list", "scheduled"))
      assert_equal([1, {"a" => [nil, true]}], json("show", jid)["job"]["args"])
      assert_match(/\Aqueue in tidy/, jobs("show", jid))
      assert_match(/There are none/, jobs("list", "dead"))
      assert_match(/There are no workers/, jobs("processes"))
      assert_match(/nothing is wrong/, jobs("check"))
    end

    class OtherJob
      include Raffia::Job

      options queue: "tidy", fair_by: ->(customer, *) { customer }, rate: 1, per: 3600,
        rate_key: ->(customer, *) { customer }
      def perform(*) = nil
    end

    def bury(error)
      lease = @store.enroll("test:1:a", {}, ttl: 600)
      @store.claim(lease, %w[tidy], 100).each do |claim|
        item = claim.item.merge("error_class" => error, "error_message" => "after 5 s")
        @store.bury(claim, JSON.generate(item))
      end
      @store.resign(lease)
    end

    def test_bulk_changes_by_filter
      3.times { |number| TidyJob.perform_async(number) }
      bury("Net::ReadTimeout")
      2.times { |number| TidyJob.perform_async(number) }
      bury("Other")
      TidyJob.perform_in(3600, 9)
      assert_equal({"would_change" => 3}, json("retry", "--error", "Timeout", "--dry-run"))
      assert_equal(5, @store.counts[:dead])
      assert_equal({"changed" => 3}, json("retry", "--error", "Timeout"))
      assert_equal({"changed" => 0}, json("retry", "--older-than", "60", code: 1))
      assert_equal({"changed" => 2}, json("delete", "--error", "after", "--class", TidyJob.name))
      assert_equal({queue: 3, scheduled: 1, dead: 0}, @store.counts.slice(:queue, :scheduled, :dead))
      assert_equal({"changed" => 4}, json("move", "--class", TidyJob.name, "--to", "slow"))
      assert_equal([["slow", 3], ["tidy", 0]],
        json("queues").map { |queue| queue.values_at("name", "size") })
      assert_match(/4 would be changed/, jobs("delete", "-q", "slow", "--dry-run"))
      assert_match(/3 jobs are deleted/, jobs("delete", "--all", "queue:slow"))
      jobs("delete", "--all", "queue:slow", "-q", "tidy", code: 2)
      jobs("move", "--class", "TidyJob", code: 2)
      jobs("move", "--to", "slow", code: 2)
    end

    def test_more_jobs_than_a_page
      1200.times { |number| TidyJob.perform_async(number) }
      600.times { OtherJob.perform_async("ann") }
      assert_equal({"changed" => 1200}, json("kill", "--class", TidyJob.name))
      assert_equal({"changed" => 600}, json("move", "--tenant", "ann", "--to", "held"))
      assert_equal(600, @store.counts[:queue])
    end

    def test_a_tenant_with_a_rate
      key = "#{OtherJob.name}:ann"
      jobs("pause", "--rate", key, code: 2)
      3.times { OtherJob.perform_async("ann") }
      lease = @store.enroll("test:1:a", {}, ttl: 600)
      assert_equal(1, @store.claim(lease, %w[tidy], 10).size)
      assert_match(/is paused/, jobs("pause", "--rate", key))
      assert_operator(@store.rate(key)["closed_until"], :>, Time.now.to_f + 86_400 * 365)
      assert_match(/is resumed/, jobs("resume", "--rate", key))
      assert_nil(@store.rate(key)["closed_until"])
      jobs("pause", code: 2)
    end

    def test_draining
      TidyJob.perform_async(1)
      lease = @store.enroll("test:1:a", {}, ttl: 600)
      claims = @store.claim(lease, %w[tidy], 1)
      drain = Thread.new { jobs("drain", "tidy") }
      sleep 0.2
      assert_predicate(drain, :alive?)
      @store.ack(claims)
      assert_match(/tidy is empty, and paused/, drain.value)
      assert(@store.queues.first["paused"])
    end

    def test_a_tenant_of_a_fair_queue
      item = {"class" => "X", "args" => [], "queue" => "tidy", "raffia" => {"fair" => {"key" => "7"}}}
      @store.enqueue([Jobs::Draft.of(Jobs::Client::PayloadBuilder.build(item))])
      assert_match(/7 in tidy is paused/, jobs("pause", "tidy", "--tenant", "7"))
      lease = @store.enroll("test:1:a", {}, ttl: 600)
      assert_empty(@store.claim(lease, %w[tidy], 10))
      resumed = json("resume", "tidy", "--tenant", "7")
      assert_equal({"queue" => "tidy", "tenant" => "7", "paused" => false}, resumed)
      drain = Thread.new { jobs("drain", "tidy", "--tenant", "7") }
      claims = []
      wait_until { (claims = @store.claim(lease, %w[tidy], 10)).any? }
      @store.ack(claims)
      assert_match(/7 in tidy is empty, and paused/, drain.value)
      assert_equal([{"key" => "7", "waiting" => 0, "paused" => true}], @store.tenants("tidy"))
    end

    def test_monitoring
      901.times { TidyJob.perform_async }
      assert_match(/^raffia_queue_size\{queue="tidy"\} 901$/, jobs("metrics"))
      assert_equal([901, 3], json("scaling").values_at("backlog", "desired_workers"))
      assert_equal(0, json("scaling", "-q", "other")["desired_workers"])
      assert_equal(2, json("scaling", "--target", "15", "--max", "2")["desired_workers"])
      assert_match(/^desired workers +3$/, jobs("scaling"))
      jobs("scaling", "--slots", "0", code: 2)
    end

    def test_a_recurring_job_that_never_ran_has_no_last_time
      book = Jobs::Recurring::Schedule.new
      book.add(Jobs::Recurring::Entry.build("tidy", "every 1 hour", TidyJob))
      book.tick(book["tidy"])
      before = json("recurring").first
      assert_nil(before["last"])
      assert_operator(before["next"], :>, Time.now.to_f)
      jobs("recurring", "run", "tidy")
      assert_in_delta(Time.now.to_f, json("recurring").first["last"], 60)
    end

    def test_why_a_job_is_not_running
      jid = TidyJob.perform_async(1)
      assert_equal(["no_worker"], json("explain", jid)["reasons"].map { |one| one["reason"] })
      assert_match(/TidyJob #{jid}: queue, queue tidy\n\* no_worker: no worker runs/,
        jobs("explain", jid))
      jobs("explain", "0" * 24, code: 2)
      assert_includes(@err.string, "there is no job #{"0" * 24}: it may have been done")
    end

    class SecretJob
      include Raffia::Job

      options encrypt: [0], redact: [1]
      def perform(*) = nil
    end

    OLD = {:active => "old", "old" => "o" * 32}.freeze
    NEW = {:active => "new", "old" => "o" * 32, "new" => "n" * 32}.freeze

    def with_keys(keys)
      Jobs.keys = keys
      yield
    ensure
      Jobs.keys = nil
    end

    def test_hidden_arguments_are_shown_on_demand
      with_keys(OLD) do
        jid = SecretJob.perform_async("card", "name", 3)
        args = ["(encrypted with the key old)", "(redacted)", 3]
        assert_equal(args, json("show", jid)["job"]["args"])
        assert_equal([args], json("list", "queue:default").map { |one| one["job"]["args"] })
        refute_match(/card|name"/, jobs("show", jid) + jobs("list", "queue:default"))
        assert_equal(["card", "name", 3], json("show", jid, "--reveal")["job"]["args"])
        Jobs.keys = nil
        jobs("show", jid, "--reveal", code: 1)
        assert_includes(@err.string, "there is no key old")
      end
    end

    def test_keys_are_counted_and_jobs_are_encrypted_anew
      assert_match(/No job is encrypted/, jobs("keys"))
      jobs("reencrypt", code: 2)
      assert_includes(@err.string, "there are no keys")
      first = with_keys(OLD) { SecretJob.perform_async(1) }
      with_keys(NEW) do
        SecretJob.perform_in(60, 2)
        SecretJob.perform_async(3)
        expected = [["new", "active", 2, {"queue" => 1, "scheduled" => 1}],
          ["old", "", 1, {"queue" => 1}]]
        fields = %w[key state jobs sets]
        assert_equal(expected, json("keys").map { |row| row.values_at(*fields) })
        assert_match(/^old +1  queue 1$/, jobs("keys"))
        assert_equal({"changed" => 1, "running" => 0, "failed" => []}, json("reencrypt"))
        assert_match(/\A0 jobs are encrypted anew by the key new\n\z/, jobs("reencrypt"))
        assert_equal(%w[new], json("keys").map { |row| row["key"] })
        assert_equal([1], Jobs.arguments(@store.find(first).item))
      end
      assert_equal([["new", ""]], json("keys").map { |row| row.values_at("key", "state") })
      with_keys(OLD) { assert_equal("unknown here", json("keys").first["state"]) }
    end

    # A worker has the payload of a running job, and would write it back.
    def test_running_and_changed_jobs_are_not_encrypted_anew
      with_keys(OLD) do
        running, changed = [1, 2].map { |n| SecretJob.perform_async(n) }
        lease = @store.enroll("test", {})
        @store.claim(lease, ["default"], 1)
        entry = @store.find(changed)
        item = {**entry.item, "args" => @store.find(running).item["args"]}
        @store.replace({entry => JSON.generate(item)})
        Jobs.keys = NEW
        answer = json("reencrypt", code: 1)
        assert_equal([0, 1, [changed]], answer.values_at("changed", "running", "failed"))
        assert_match(/#{changed}: argument 1 of .* cannot be decrypted/, @err.string)
        assert_match(/1 job is still running.*1 job is unreadable/m, jobs("reencrypt", code: 1))
      end
    end

    def test_more_jobs_than_a_step_has_are_encrypted_anew
      with_keys(OLD) { SecretJob.perform_bulk(Array.new(1200) { |n| [n] }) }
      with_keys(NEW) do
        order = @store.entries(:queue, limit: nil).map(&:jid)
        assert_equal(1200, json("reencrypt")["changed"])
        assert_equal(order, @store.entries(:queue, limit: nil).map(&:jid))
      end
    end

    # A job's name must not clear the screen of a reader.
    def test_names_and_messages_cannot_act_on_a_terminal
      Jobs.enqueue([{"class" => "Evil\e[2J\nJob", "args" => ["\e[2J"], "queue" => "tidy"}])
      shown = jobs("list", "queue:tidy")
      refute_includes shown, "\e"
      assert_match(/Evil \[2J Job  /, shown)
      assert_equal 2, shown.lines.size
    end

    def test_what_no_queue_can_be_called_and_what_is_no_count
      jobs("pause", "two words", code: 2)
      assert_match(/"two words" cannot be the name of a queue/, @err.string)
      [%w[resume a/b], ["list", "queue:a b"], ["list", "queue", ""]].each do |argv|
        jobs(*argv, code: 2)
        assert_match(/cannot be the name of a queue/, @err.string)
      end
      %w[--limit --offset].each do |option|
        jobs("list", "dead", option, "-1", code: 2)
        assert_match(/use a whole number from 0 up/, @err.string)
      end
    end

    def test_who_only_looks_makes_no_store
      if Gem::Specification.find_all_by_name("sqlite3").empty?
        skip "the gem sqlite3 is not installed (bin/setup)"
      end
      Dir.mktmpdir do |dir|
        url = "sqlite:#{File.realpath(dir)}/jobs.db"
        %w[stats queues check export recurring].push("list dead", "pause tidy", "retry 1")
          .each do |command|
          jobs("--store", url, *command.split, code: 2)
          assert_match(/there is no store #{Regexp.escape(url)}: name another one/, @err.string,
            command)
        end
        assert_empty Dir.children(dir)
        jobs("--store", url, "enqueue", "TidyJob")
        assert_equal 1, json("--store", url, "stats")["queue"]
        Jobs.store.close
      end
    end

    def test_pages_and_matches
      TidyJob.perform_bulk(Array.new(9) { |n| ["word#{n}"] })
      assert_equal(%w[word3 word4], json("list", "queue:tidy", "--offset", "3", "--limit", "2")
        .map { |one| one["job"]["args"].first })
      assert_equal(%w[word7], json("list", "queue:tidy", "--match", "word7")
        .map { |one| one["job"]["args"].first })
    end

    def test_changing
      jid, other, = TidyJob.perform_bulk([[1], [2], [3]])
      assert_equal("1 job is dead\n", jobs("kill", jid))
      assert_equal({"changed" => 1}, json("retry", jid))
      assert_equal("2 jobs are deleted\n", jobs("delete", jid, other))
      assert_match(/there is no job #{jid}/, failing("delete", jid))
      assert_equal({"changed" => 1}, json("kill", "--all", "queue:tidy"))
      assert_match(/is dead: this can be done to those that are queue, scheduled, retry/,
        failing("kill", @store.entries(:dead).first.jid))
      assert_equal({"changed" => 1}, json("delete", "--all", "dead"))
      assert_equal({"changed" => 0}, json("delete", "--all", "dead", code: 1))
    end

    # More than one page of them, and only those that match.
    def test_changing_all
      TidyJob.perform_bulk(Array.new(1200) { |n| [n.even? ? "even" : "odd"] })
      assert_equal({"changed" => 600}, json("delete", "--all", "queue:tidy", "--match", "even"))
      assert_equal({"changed" => 600}, json("kill", "--all", "queue:tidy"))
      assert_equal(600, @store.counts[:dead])
    end

    def test_enqueueing
      jid = jobs("enqueue", "Raffia::CLIJobsTest::TidyJob", "1", '"two"', "--in", "60").chomp
      assert_equal(["tidy", [1, "two"], :scheduled],
        @store.find(jid).then { |entry| [entry.queue, entry.item["args"], entry.set] })
      assert_equal("slow", json("enqueue", "NotLoadedHere", "-q", "slow")
        .then { |answer| @store.find(answer["jid"]).queue })
      assert_match(/two is not JSON/, failing("enqueue", "TidyJob", "two"))
      assert_match(/"tidy job" is no name of a class/, failing("enqueue", "tidy job"))
      assert_match(/String is no job: it has no method perform/, failing("enqueue", "String"))
      assert_match(/set has no class Raffia::TidyJob/, failing("enqueue", "Raffia::TidyJob", "-r", "set"))
      assert_match(/no name|no job/, failing("enqueue", "RUBY_VERSION"))
      assert_match(/use seconds, 0 at least/, failing("enqueue", "A", "--in", "-1"))
    end

    # Else a rate or a limit would not hold, and a durable function could not run.
    def test_enqueueing_with_all_options_of_a_class
      jid = jobs("enqueue", "Raffia::CLIJobsTest::RatedJob", '"a"', "-q", "slow").chomp
      assert_equal ["slow", RatedJob.name], @store.find(jid)
        .then { |entry| [entry.queue, entry.item["raffia"]["rate"]["name"]] }
      id = jobs("enqueue", "Raffia::CLIJobsTest::TidyFunction", "4").chomp
      assert_equal "pending", @store.flow(id)["status"]
      assert_match(/RatedJob does not take these arguments: wrong number/,
        failing("enqueue", "Raffia::CLIJobsTest::RatedJob"))
    end

    def test_queues_that_rest
      jobs("pause", "tidy")
      assert_match(/tidy .*paused/, jobs("queues"))
      jobs("resume", "tidy")
      refute_match(/paused/, jobs("queues"))
    end

    def test_workers
      lease = @store.enroll("host:1:abc", {"concurrency" => 5, "queues" => ["tidy"]})
      TidyJob.perform_async(1)
      claim = @store.claim(lease, ["tidy"], 1).first
      @store.beat(lease,
        {"busy" => 1,
         "work" => [{"jid" => claim.item["jid"], "queue" => "tidy", "payload" => claim.payload,
                     "run_at" => 1.0}]})
      job = /    #{claim.item["jid"]}  Raffia::CLIJobsTest::TidyJob/
      assert_match(/\Ahost:1:abc  1 of 5 busy queues tidy\n#{job}/, jobs("processes"))
      assert_equal("host:1:abc gets the order\n", jobs("order", "host:1:abc", "quiet"))
      assert_equal(["quiet"], @store.beat(lease))
      assert_match(/is no order/, failing("order", "host:1:abc", "dance"))
      assert_match(/there is no worker/, failing("order", "nobody", "stop"))
    end

    def test_what_recurs
      Jobs.recurring.add(Jobs::Recurring::Entry.build("nightly", "0 3 * * *", TidyJob,
        zone: "Europe/Berlin"))
      assert_match(/^nightly +0 3 \* \* \* +Europe\/Berlin +Raffia::CLIJobsTest::TidyJob +20/,
        jobs("recurring"))
      assert_equal("tidy", @store.find(json("recurring", "run", "nightly")["jid"]).queue)
      jobs("recurring", "pause", "nightly")
      assert(json("recurring").first["paused"])
      jobs("recurring", "delete", "nightly")
      assert_match(/Nothing recurs/, jobs("recurring"))
      assert_match(/there is no recurring job x/, failing("recurring", "run", "x"))
      assert_match(/recurring dance\?/, failing("recurring", "dance", "x"))
    end

    def test_out_and_in_again
      TidyJob.perform_bulk([[1], [2]])
      TidyJob.perform_in(3600, 3)
      jobs("kill", TidyJob.perform_async(4))
      Tempfile.create("jobs") do |file|
        jobs("export", file.path)
        assert_match(/exported 4 jobs/, @err.string)
        before = all
        Jobs.store = @store = Jobs::Store.open("memory:")
        assert_equal("imported 4 jobs into memory:\n", jobs("import", file.path))
        assert_equal(before, all)
        File.write(file.path, "nonsense\n", mode: "a")
        assert_match(/line 5 is not what/, failing("import", file.path))
      end
      assert_match(/does not exist/, failing("import", "/nowhere/at/all"))
      assert_match(/does not exist/, failing("export", "/nowhere/at/all"))
      assert_match(/Is a directory/, failing("import", Dir.tmpdir))
    end

    def test_what_does_not_come_in_again_is_told
      batch = Jobs::Batch.new
      batch.jobs { TidyJob.perform_async(1) }
      TidyJob.set(unique: :done).perform_async(2)
      Tempfile.create("jobs") do |file|
        jobs("export", file.path)
        Jobs.store = @store = Jobs::Store.open("memory:")
        jobs("import", file.path)
        assert_equal({}, @store.entries(:queue, queue: "tidy").first.item["raffia"])
        assert_equal("imported 1 jobs into memory:\n", jobs("import", file.path))
        assert_match(/left out 1 that are unique/, @err.string)
        File.write(file.path, JSON.generate({"queue" => "tidy", "payload" => "{}"}))
        assert_match(/line 1 is not what/, failing("import", file.path))
      end
    end

    # An option that is ignored, --dry-run above all, would do what nobody asked for.
    def test_options_of_other_subcommands_are_refused
      jid = TidyJob.perform_async(1)
      %w[pause drain].each do |command|
        assert_match(/invalid option: --dry-run: `raffia jobs #{command}` has no such option/,
          failing(command, "tidy", "--dry-run"))
      end
      assert_match(/--class: `raffia jobs list`/, failing("list", "dead", "--class", "TidyJob"))
      assert_match(/not both/, failing("delete", jid, "--class", "TidyJob"))
      assert_equal({"would_change" => 1}, json("delete", jid, "--dry-run"))
      assert_equal(1, @store.counts[:queue])
      refute(@store.queues.first["paused"])
    end

    def test_each_subcommand_has_a_page
      CLI.command("jobs")::SUBCOMMANDS.each_key do |name|
        page = jobs(name, "--help")
        assert_match(/\AUsage: raffia jobs #{name}\b.*\n\n[A-Z]/, page)
        assert_match(/^ {4}-s, --store URL/, page)
        assert_empty(page.lines.select { |line| line.chomp.size > 80 }, name)
        page.scan(/^  raffia (jobs .*)/).flatten.each { |example| check_example(example) }
      end
      assert_match(/--dry-run/, jobs("retry", "--help"))
      refute_match(/--dry-run/, jobs("pause", "--help"))
      assert_match(/Did you mean retry/, failing("rety", "--help"))
    end

    def check_example(example)
      words = example.shellsplit.drop(1)
      wrong = words.grep(/\A-/).map { |word| word[/\A--?[\w-]+/] }
        .reject { |word| jobs(words.first, "--help").match?(/(?<![\w-])#{word}(?!\w)/) }
      assert_empty(wrong, example)
    end

    def test_a_page_by_help
      out = StringIO.new
      assert_equal(0, CLI.call(%w[help jobs retry], out: out, err: out))
      assert_equal(jobs("retry", "--help"), out.string)
    end

    def test_no_store_of_another_process
      assert_match(/memory: is the store of one process/, failing("stats", "-s", "memory:"))
      assert_match(/nothing is no status/, failing("flows", "nothing"))
    end

    def test_words_that_make_no_sense
      {%w[list] => /missing argument: list SET/, %w[list nothing] => /there is no set nothing/,
       %w[list queue] => /which queue\?/, %w[list dead mail] => /only `queue` has a name after it/, %w[retry] => /JID, --all SET, or a filter/,
       %w[dance] => /raffia jobs has no command dance. `raffia help jobs` lists all/,
       %w[stats more] => /needless argument: more/, %w[stats -s nowhere:] => /is no store/,
       %w[stats -r /nowhere.rb] => /nowhere.rb does not exist/}.each do |argv, message|
        assert_match(message, failing(*argv))
      end
    end

    private

    def failing(*argv)
      jobs(*argv, code: 2)
      @err.string
    end

    def all
      sets = {queue: "tidy", scheduled: nil, dead: nil}
      sets.flat_map do |set, queue|
        @store.entries(set, queue: queue).map { |entry| [set, entry.queue, entry.payload] }
      end
    end
  end
end
