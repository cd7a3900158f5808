# frozen_string_literal: true

require_relative "web_case"

# Payloads, names and requests may come from attackers.
class JobsWebHostileTest < JobsWebCase
  EVIL = %("'><xss onload=alert(1)>&lt;\u0000\u2028`)
  FIELDS = %w[class wrapped display_class args jid tags retry retry_count error_class error_message
    error_backtrace created_at enqueued_at failed_at retried_at raffia].freeze
  # Values that no field should have, and any of them can have.
  VALUES = [EVIL, [EVIL], {EVIL => EVIL}, nil, true, -1, 1e308, 10**30, "", [], {}, [nil], [[{}]],
    "\\u0000", "x" * 5_000, "../..", "%00"].freeze
  PAGES = %w[/ /queues /queue?queue=default /busy /scheduled /retries /dead /blocked /recurring
    /batches /workflows /functions /metrics /processes].freeze

  def draft(bytes, at: nil, jid: Jobs::Payload.id)
    Jobs::Draft.new(jid: jid, queue: "default", payload: bytes, at: at, extras: nil)
  end

  def assert_harmless(page)
    refute_includes page.body, "<xss"
    refute_includes page.body, %("'>)
    assert page.body.valid_encoding?
    page
  end

  def test_each_field_may_be_anything
    FIELDS.product(VALUES).each_slice(40) do |slice|
      store = Jobs::Store.open("memory:")
      web = Jobs::Web.new(store: store)
      drafts = slice.map do |field, value|
        draft(JSON.generate({"class" => "A", "args" => [], "jid" => Jobs::Payload.id,
          "queue" => "default", field => value}))
      end
      store.enqueue(drafts)
      store.enqueue(drafts.map { |one| one.with(at: Time.now.to_f + 1000) })
      lease = store.enroll("h:1:x", {}, ttl: 600)
      store.enqueue(drafts)
      store.claim(lease, ["default"], 20).each { |claim| store.bury(claim, claim.payload) }
      store.claim(lease, ["default"], 20).each { |claim| store.retry(claim, claim.payload, 1e10) }
      %w[/queue?queue=default /dead /retries /scheduled].each do |address|
        assert_equal 200, assert_harmless(get(address, web: web)).status
      end
      store.entries(:scheduled, limit: 100).filter_map(&:jid).grep(String)
        .each do |jid|
          assert_includes [200, 404],
            assert_harmless(get("/job?#{URI.encode_www_form(jid: jid)}", web: web)).status
        end
      store.entries(:scheduled, limit: 100).filter_map(&:jid).grep(String)
        .each { |jid| get("/api/job?#{URI.encode_www_form(jid: jid)}", web: web).json }
    end
  end

  UNREADABLE = ["", "{", "null", "[]", "1", "\xFF\xFE", "\x00" * 100, "{\"a\":\"\xFF\"}",
    "#{"[" * 2000}1#{"]" * 2000}", "<xss>", "{\"class\":1e999,\"args\":#{"[" * 98}#{"]" * 98}}",
    "not json #{EVIL}", "{\"class\":\"\xC3\x28\",\"args\":[\"\xFF\"],\"jid\":\"a\xFF\"}"].freeze

  def test_payloads_that_cannot_be_read_are_shown_and_can_be_deleted
    @store.enqueue(UNREADABLE.map { |bytes| draft(bytes) })
    lease = @store.enroll("h:1:x", {}, ttl: 600)
    @store.claim(lease, ["default"], 50).each { |claim| @store.bury(claim, claim.payload) }
    page = assert_harmless(get("/dead"))
    assert_equal 200, page.status
    assert_operator page.body.scan("(unreadable)").size, :>, 8
    assert_equal UNREADABLE.size, get("/api/dead").json["entries"].size
    keys(:dead).each { |key| assert_equal 303, post("/dead", {"action" => "delete #{key}"}).status }
    assert_equal 0, @store.counts[:dead]
  end

  def test_names_may_be_anything
    @store.pause(EVIL)
    lease = @store.enroll(EVIL, {"hostname" => EVIL, "pid" => EVIL, "tag" => [EVIL],
      "labels" => EVIL, "queues" => {EVIL => 1}, "concurrency" => EVIL, "version" => {},
      "started_at" => EVIL}, ttl: 600)
    @store.beat(lease, {"busy" => EVIL, "rss" => EVIL, "quiet" => EVIL,
      "work" => [nil, EVIL, {"jid" => EVIL, "queue" => EVIL, "payload" => EVIL, "run_at" => EVIL,
                             "tid" => EVIL, "note" => [EVIL], "progress" => EVIL, "on" => EVIL},
        {"payload" => {"class" => EVIL}, "run_at" => 1e300, "progress" => 1e300}]},
      tally: Jobs::Tally.new(processed: 1, failed: 1,
        classes: {EVIL => {"processed" => 1, "failed" => 1, "ms" => 1.5, "histogram" => [1] * 26}}))
    @store.open_batch(EVIL, about: {"description" => EVIL, EVIL => EVIL, "created_at" => EVIL})
    PAGES.each { |address| assert_equal 200, assert_harmless(get(address)).status, address }
    [["/queue", :queue], ["/batch", :id], ["/class", :name]].each do |path, name|
      assert_equal 200, assert_harmless(get("#{path}?#{URI.encode_www_form(name => EVIL)}")).status,
        path
    end
    ["/dead?#{URI.encode_www_form(match: EVIL, done: EVIL, count: EVIL, offset: EVIL)}",
      "/job?#{URI.encode_www_form(jid: EVIL)}", "/#{URI.encode_www_form_component(EVIL)}",
      "/#{EVIL}"].each { |address| assert_harmless(get(address)) }
    assert_harmless(get("/", web: Jobs::Web.new(store: @store, title: EVIL, back: EVIL),
      SCRIPT_NAME: "/#{EVIL}"))
    assert_harmless(post("/queues", {"action" => EVIL, "queue" => EVIL}))
    assert_harmless(post("/queues", {"action" => "clear", "queue" => EVIL}))
  end

  def test_notices_have_no_text_of_the_link
    refute_match(/class="notice"/, get("/?done=Your+account+is+closed&count=1").body)
    assert_match(/>3 jobs are deleted\.</, get("/?done=deleted&count=3").body)
  end

  def test_long_lists_and_numbers
    enqueue(*Array.new(120) { |index| {"args" => [index]} })
    page = get("/queue?queue=default&offset=50").body
    assert_match(/51–100 of about 120/, page)
    assert_match(/rel="prev"/, page)
    assert_match(/rel="next"/, page)
    assert_match(/none from 1,001 on/, get("/queue?queue=default&offset=1000").body)
    ["-5", "1e9", "9" * 40, "x"].each do |offset|
      assert_equal 200, get("/queue?queue=default&offset=#{offset}").status
    end
    assert_equal 120, get("/api/queue?queue=default&limit=1000").json["entries"].size
    assert_equal 1, get("/api/queue?queue=default&limit=0").json["entries"].size
    assert_equal 51, get("/api/queue?queue=default&limit=51").json["entries"].size
  end

  def test_a_thousand_queues
    @client.enqueue(Array.new(1000) { |index|
      {"class" => "A", "args" => [],
       "queue" => format("q%03d", index)}
    })
    assert_equal 100, get("/queues").body.scan("<tr data-key").size
    assert_equal 10, get("/queues?match=Q12").body.scan("<tr data-key").size
    assert_match(/All 1,000 queues/, get("/").body)
  end

  def test_long_arguments_are_folded
    enqueue({"args" => ["word " * 400_000]})
    assert_operator get("/queue?queue=default").body.bytesize, :<, 20_000
    jid = @store.entries(:queue, queue: "default").first.jid
    assert_operator get("/job?jid=#{jid}").body.bytesize, :<, 700_000
    assert_equal 2_000_000, get("/api/job?jid=#{jid}").json["job"]["args"].first.size
  end

  def test_invalid_bytes_in_requests
    bad = "\xFF\xC0\x80"
    %i[HTTP_HOST REMOTE_ADDR].each do |name|
      assert_equal 403, get("/", **{name => bad}).status, name
    end
    %i[HTTP_ORIGIN HTTP_SEC_FETCH_SITE CONTENT_TYPE].each do |name|
      assert_equal 403, request("POST", "/queues", body: "", **{name => bad}).status, name
    end
    assert_equal 404, get("/#{bad}").status
    assert_equal 400, get("/queue?queue=#{bad}").status
    assert_equal 200, get("/", SCRIPT_NAME: "/#{bad}").status
    assert_equal 200, get("/", HTTP_ACCEPT: bad).status
  end
end
