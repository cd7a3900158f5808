# frozen_string_literal: true

require_relative "web_case"

class JobsWebRatesTest < JobsWebCase
  def rated(count, key)
    rate = {"name" => "crm", "key" => key, "allow" => 2, "per" => 60}
    enqueue(*Array.new(count) { {"raffia" => {"rate" => rate}} })
    lease = @store.enroll("test:1:a", {}, ttl: 600)
    @store.claim(lease, %w[default], 50)
  end

  def test_a_page_without_rates
    assert_match(/No job with a rate has started/, get("/rates").body)
    assert_equal [], get("/api/rates").json
  end

  def test_blocked_jobs_and_when_they_start
    rated(5, "crm:<7>")
    page = get("/rates").body
    assert_match(/crm:&lt;7&gt;/, page)
    assert_match(/2 in 60 s/, page)
    assert_match(%r{data-label="Blocked">3<}, page)
    assert_match(%r{data-label="Left now">0<}, page)
    assert_match(/in \d+ s/, page)
    assert_equal [["crm:<7>", 3]],
      get("/api/rates").json.map { |rate| rate.values_at("key", "blocked") }
    assert_match(%r{href="/rates"}, get("/blocked").body)
  end

  def test_pause_and_resume
    rated(3, "crm:7")
    reply = post("/rates", {"action" => "pause", "key" => "crm:7"})
    assert_equal [303, "/rates?done=paused&count=1"], [reply.status, reply.headers["location"]]
    page = get("/rates?done=paused").body
    assert_match(/It is paused/, page)
    assert_match(/not before it is resumed/, page)
    post("/rates", {"action" => "resume", "key" => "crm:7"})
    assert_nil @store.rate("crm:7")["closed_until"]
    refute_match(/not before it is resumed/, get("/rates").body)
    assert_equal 422, post("/rates", {"action" => "burn", "key" => "crm:7"}).status
  end

  def test_tenants_of_a_fair_queue
    fair = ->(key) { {"raffia" => {"fair" => {"key" => key}}} }
    enqueue(fair.call("ann"), fair.call("<bob>"), fair.call("<bob>"))
    page = get("/queue?queue=default").body
    assert_match(/Keys with the most waiting jobs/, page)
    assert_match(/&lt;bob&gt;/, page)
    assert_equal [["<bob>", 2], ["ann", 1]],
      get("/api/queue?queue=default").json["tenants"].map { |one| one.values_at("key", "waiting") }
    refute_match(/Keys with the most/, get("/dead").body)
  end

  def test_a_tenant_is_paused_and_resumed
    enqueue({"raffia" => {"fair" => {"key" => "<bob>"}}})
    form = {"queue" => "default", "tenant" => "<bob>"}
    assert_match(/done=paused/, post("/queue", {**form, "action" => "pause"}).headers["location"])
    assert_match(/&lt;bob&gt; <span class="badge">paused/, get("/queue?queue=default").body)
    assert_equal [true], @store.tenants("default").map { |one| one["paused"] }
    assert_match(/done=resumed/, post("/queue", {**form, "action" => "resume"}).headers["location"])
    assert_equal [false], @store.tenants("default").map { |one| one["paused"] }
    assert_equal 422, post("/queue", {"queue" => "default", "action" => "pause"}).status
    assert_equal 422, post("/dead", {**form, "action" => "pause"}).status
  end

  def test_a_queue_is_moved
    enqueue(*Array.new(3) { |n| {"args" => ["a#{n}"]} }, {"args" => ["b"]})
    reply = post("/queue", {"queue" => "default", "match" => "a", "to" => "x y", "action" => "move"})
    assert_equal 422, reply.status
    reply = post("/queue", {"queue" => "default", "match" => "[\"a", "to" => "slow",
                            "action" => "move"})
    assert_match(/done=moved&count=3/, reply.headers["location"])
    assert_equal [["default", 1], ["slow", 3]],
      @store.queues.map { |queue| queue.values_at("name", "size") }
    same = {"queue" => "slow", "to" => "slow", "action" => "move"}
    assert_equal [422, 422], [post("/queue", same), post("/dead", same)].map(&:status)
    assert_equal 403, post("/queue", same, web: Jobs::Web.new(store: @store, read_only: true)).status
  end

  def test_many_rates
    60.times { |number| rated(1, "crm:#{number}") }
    assert_match(/rel="next"/, get("/rates").body)
    assert_equal 10, get("/api/rates?offset=50").json.size
  end
end
