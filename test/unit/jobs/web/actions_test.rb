# frozen_string_literal: true

require_relative "web_case"

class JobsWebActionsTest < JobsWebCase
  def counts = @store.counts.slice(*Jobs::Store::SETS).reject { |_, count| count.zero? }

  # The notice on the page to which the answer redirects.
  def said(answer)
    assert_equal 303, answer.status, answer.body
    page = get(answer.headers["location"])
    assert_equal 200, page.status
    CGI.unescapeHTML(page.body[%r{<p class="notice"[^>]*>(.*?)</p>}m, 1].to_s)
  end

  def test_pause_and_resume
    enqueue({})
    assert_equal "It is paused.", said(post("/queues", {"action" => "pause", "queue" => "default"}))
    assert @store.queues.first["paused"]
    assert_match(/paused/, get("/queue?queue=default").body)
    assert_equal "It is resumed.",
      said(post("/queues", {"action" => "resume", "queue" => "default"}))
    refute @store.queues.first["paused"]
  end

  def test_a_queue_is_cleared_after_confirmation
    enqueue({}, {}, {"queue" => "other"})
    asked = post("/queues", {"action" => "clear", "queue" => "default"})
    assert_equal 200, asked.status
    assert_match(/Delete all jobs in the queue default\?/, asked.body)
    assert_equal({queue: 3}, counts)
    fields = asked.body.scan(/name="([^"]+)" value="([^"]*)"/).to_h
    assert_equal({"queue" => "default", "sure" => "yes", "action" => "clear"}, fields)
    assert_equal "2 jobs are deleted.", said(post("/queues", fields))
    assert_equal({queue: 1}, counts)
  end

  def test_marked_jobs
    bury(5)
    marked = keys(:dead).values_at(0, 3)
    assert_equal "2 jobs are to be run now.",
      said(post("/dead", [["key", marked[0]], ["key", marked[1]], ["action", "retry"]]))
    assert_equal({queue: 2, dead: 3}, counts)
    assert_equal "0 jobs are deleted.",
      said(post("/dead", [["key", marked[0]], ["action", "delete"]]))
    assert_equal "1 job is deleted.",
      said(post("/dead", {"action" => "delete #{keys(:dead).first}"}))
    assert_equal({queue: 2, dead: 2}, counts)
  end

  def test_nothing_is_marked
    bury(2)
    assert_equal "none", get("/dead").body[/<button[^>]*name="action" value="([^"]*)"/, 1],
      "what Enter presses"
    assert_equal "Nothing was changed.",
      said(post("/dead", {"action" => "none", "key" => keys(:dead).first}))
    assert_equal "0 jobs are deleted.", said(post("/dead", {"action" => "delete"}))
    assert_equal "0 jobs are deleted.",
      said(post("/dead", [["action", "delete"], ["key", "none"], ["key", "0 1 2"], ["key", ""]]))
    assert_equal({dead: 2}, counts)
  end

  def test_all_that_match_and_only_those
    bury(3, error: "needle")
    bury(2, error: "hay")
    asked = post("/dead", {"action" => "retry all", "match" => "needle"})
    assert_match(/Retry: all jobs of dead that contain “needle”\?/, asked.body)
    assert_equal({dead: 5}, counts)
    assert_equal "3 jobs are to be run now.",
      said(post("/dead", {"action" => "retry all", "match" => "needle", "sure" => "yes"}))
    assert_equal({queue: 3, dead: 2}, counts)
    assert_equal "2 jobs are deleted.",
      said(post("/dead", {"action" => "delete all", "match" => "hay", "sure" => "yes"}))
    assert_equal({queue: 3}, counts)
  end

  def test_all_of_a_long_set
    bury(1_300)
    assert_equal "1,300 jobs are to be run now.",
      said(post("/dead", {"action" => "retry all", "sure" => "yes"}))
    assert_equal({queue: 1_300}, counts)
    assert_equal "1,300 jobs are deleted.",
      said(post("/queue", {"queue" => "default", "action" => "delete all", "sure" => "yes"}))
    assert_empty counts
  end

  def test_each_action_of_each_set
    Jobs::Web::Pages::Entries::ACTIONS.each do |set, actions|
      actions.each_key do |action|
        @store = Jobs::Store.open("memory:")
        @client = Jobs::Client.new(@store)
        @web = Jobs::Web.new(store: @store)
        put_into(set)
        path = Jobs::Web::Routes::PAGES.key([Jobs::Web::Pages::Entries, set])
        query = (set == :queue) ? {"queue" => "default"} : {}
        post(path, {**query, "action" => action,
          "key" => keys(set, **query.transform_keys(&:to_sym)).first})
        assert_equal({{"retry" => :queue, "kill" => :dead}[action] => 1}.compact
          .reject { |key, _| key.nil? }, counts.except(:running), "#{action} of #{set}")
      end
    end
  end

  def put_into(set)
    case set
    when :queue then enqueue({})
    when :scheduled then enqueue({"at" => Time.now.to_f + 100})
    when :dead then bury
    when :retry
      enqueue({})
      lease = @store.enroll("test:1:r", {}, ttl: 600)
      @store.claim(lease, ["default"], 1)
        .each { |claim| @store.retry(claim, claim.payload, Time.now.to_f + 100) }
    when :blocked
      enqueue(*Array.new(2) { {"raffia" => {"limit" => {"key" => "k", "max" => 1}}} })
      @store.claim(@store.enroll("test:1:b", {}, ttl: 600), ["default"], 2)
    end
  end

  def test_invalid_actions
    bury
    ["", "kill", "all", "nonsense", "retry nonsense", "delete all all"].each do |action|
      assert_includes [422, 303], post("/dead", {"action" => action}).status, action
    end
    assert_equal 422, post("/dead", {"action" => "kill"}).status
    assert_equal 422, post("/", {"action" => "delete"}).status
    assert_equal 422, post("/queues", {"action" => "pause"}).status
    assert_equal 422, post("/metrics").status
    assert_equal({dead: 1}, counts)
  end

  def test_on_the_page_of_a_job
    bury
    jid = @store.entries(:dead).first.jid
    page = get("/job?jid=#{jid}")
    assert_match(/RuntimeError/, page.body)
    assert_equal "1 job is to be run now.", said(post("/job", {"jid" => jid, "action" => "retry"}))
    assert_match(/waiting/, get("/job?jid=#{jid}").body)
    assert_equal "1 job is moved to the dead ones.",
      said(post("/job", {"jid" => jid, "action" => "kill"}))
    answer = post("/job", {"jid" => jid, "action" => "delete"})
    assert_equal "/dead?done=deleted&count=1", answer.headers["location"]
    assert_equal 404, post("/job", {"jid" => jid, "action" => "delete"}).status
  end

  def test_workers_get_commands
    lease = @store.enroll("host:1:abc", {"hostname" => "host", "pid" => 1}, ttl: 600)
    enqueue({"args" => ["me"]})
    claim = @store.claim(lease, ["default"], 1).first
    @store.beat(lease,
      {"busy" => 1,
       "work" => [{"jid" => claim.item["jid"], "queue" => "default", "payload" => claim.payload,
                   "run_at" => Time.now.to_i, "tid" => "t1", "progress" => 0.25,
                   "note" => "page 3"}]})
    %w[quiet stop dump].each do |order|
      assert_match(/The worker gets the order/,
        said(post("/processes", {"action" => order, "worker" => "host:1:abc"})))
    end
    busy = get("/busy").body
    assert_match(/25%/, busy)
    assert_match(/page 3/, busy)
    assert_match(/Runs for/, get("/job?jid=#{claim.item["jid"]}").body)
    assert_match(/job's worker gets the order/,
      said(post("/busy", {"action" => "cancel", "worker" => "host:1:abc",
        "jid" => claim.item["jid"]})))
    assert_match(/is asked where it is/,
      said(post("/busy", {"action" => "trace", "worker" => "host:1:abc",
        "jid" => claim.item["jid"]})))
    assert_equal ["quiet", "stop", "dump", "cancel #{claim.item["jid"]}",
      "trace #{claim.item["jid"]}"], @store.beat(lease)
    @store.beat(lease,
      {"work" => [{"jid" => claim.item["jid"], "payload" => claim.payload, "run_at" => 1,
                   "on" => "fibers", "backtrace" => ["a.rb:1:in <b>"]}]})
    assert_match(/<pre>a\.rb:1:in &lt;b&gt;</, get("/job?jid=#{claim.item["jid"]}").body)
    assert_equal 404, post("/processes", {"action" => "quiet", "worker" => "gone"}).status
    assert_equal 404, post("/busy", {"action" => "cancel", "worker" => "gone", "jid" => "x"}).status
    assert_equal 422,
      post("/busy", {"action" => "cancel", "worker" => "host:1:abc", "jid" => "x stop"}).status
    assert_equal 422, post("/busy", {"action" => "stop", "worker" => "host:1:abc", "jid" => "x"})
      .status
    assert_equal 422, post("/processes", {"action" => "cancel x", "worker" => "host:1:abc"}).status
  end

  def test_recurring_jobs
    schedule = Jobs::Recurring::Schedule.new(@client)
    schedule.add(Jobs::Recurring::Entry.build("sweep", 3600, "SweepJob", args: [1]))
    assert_match(/every 60 min/, get("/recurring").body)
    assert_equal "It is paused.", said(post("/recurring", {"action" => "pause", "name" => "sweep"}))
    assert schedule.paused?("sweep")
    assert_equal "It is resumed.",
      said(post("/recurring", {"action" => "resume", "name" => "sweep"}))
    refute schedule.paused?("sweep")
    assert_equal "1 job is enqueued.",
      said(post("/recurring", {"action" => "run", "name" => "sweep"}))
    assert_equal "SweepJob", @store.entries(:queue, queue: "default").first.item["class"]
    assert_match(%r{/job\?jid=}, get("/recurring").body)
    assert_equal 404, post("/recurring", {"action" => "run", "name" => "none"}).status
    assert_equal ["sweep", false], get("/api/recurring").json.first.values_at("name", "paused")
  end
end
