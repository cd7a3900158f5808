# frozen_string_literal: true

require_relative "web_case"

class JobsWebTest < JobsWebCase
  PAGES = %w[/ /queues /queue?queue=default /busy /scheduled /retries /dead /blocked /recurring
    /batches /workflows /metrics /class?name=PageJob /processes].freeze

  PAGES.each do |address|
    define_method(:"test_page_#{address}") do
      enqueue({}, {"at" => Time.now.to_f + 100})
      page = get(address)
      assert_equal [200, "text/html; charset=utf-8"], [page.status, page.headers["content-type"]]
      assert_match(/<main id="main"/, page.body)
      assert_match(%r{</html>\s*\z}, page.body)
      data = get("/api#{address}")
      assert_equal [200, "application/json"], [data.status, data.headers["content-type"]]
      data.json
      assert_equal %w[main nav title totals],
        get(address, HTTP_ACCEPT: "application/json").json.keys.sort
    end
  end

  def test_it_can_be_mounted_anywhere
    page = get("", SCRIPT_NAME: "/admin/jobs")
    assert_equal 200, page.status
    addresses = page.body.scan(/(?:href|src|action)="([^"]*)"/).flatten - ["#main"]
    assert_operator addresses.size, :>, 20
    assert_empty(addresses.reject { |address| address.start_with?("/admin/jobs/") })
  end

  class HiddenJob
    include Raffia::Job

    options redact: [0], encrypt: [1], limit: 1, limit_key: ->(name, *) { name }
    def perform(*) = nil
  end

  class ShyJob
    include Raffia::Job

    options redact: true, limit: 1, limit_key: ->(name, *) { name }
    def perform(*) = nil
  end

  def test_hidden_arguments_are_on_no_page
    Jobs.keys = {:active => "k1", "k1" => "k" * 32}
    items = [HiddenJob, ShyJob].map { |job| job.set.item(%w[ann-plain card-plain]) }
    @client.enqueue(items)
    lease = @store.enroll("test:1:1", {"hostname" => "test"})
    claims = @store.claim(lease, ["default"], 2)
    work = claims.map { |claim| {"jid" => claim.item["jid"], "payload" => claim.payload} }
    @store.beat(lease, {"work" => work})
    pages = %w[/busy].concat(work.map { |one| "/job?jid=#{one["jid"]}" })
    claims.each do |claim|
      item = {**claim.item, "error_class" => "Oops", "error_message" => "bad ann-plain"}
      @store.bury(claim, JSON.generate(item))
    end
    pages.push("/dead", "/api/dead", "/api/job?jid=#{work.last["jid"]}").each do |page|
      body = get(page).body
      assert_match(/redacted|encrypted with the key k1/, body, page)
      refute_match(/-plain/, body, page)
    end
  ensure
    Jobs.keys = nil
  end

  def test_assets_are_cached_for_ever_under_their_digest
    page = get("/").body
    addresses = page.scan(%r{(?:href|src)="(/assets/[^"]*)"}).flatten.uniq
    assert_operator addresses.size, :>, 9
    addresses.each do |address|
      file = get(address)
      assert_equal 200, file.status
      assert_match(/immutable/, file.headers["cache-control"])
      assert_equal file.body.bytesize.to_s, file.headers["content-length"]
      integrity = page[/"#{Regexp.escape(address)}" integrity="sha256-([^"]*)"/, 1] or
        next assert_match(/svg/, address)
      assert_equal Digest::SHA256.base64digest(file.body), integrity
    end
    ["/assets/", "/assets/base.css", "/assets/../web.rb",
      "/assets/charts-0000000000000000.css"].each do |address|
        assert_equal 404, get(address).status
      end
  end

  def test_an_unknown_page
    assert_equal 404, get("/nothing").status
    assert_equal({"error" => "There is no page /nothing."}, get("/api/nothing").json)
    assert_equal 404, get("/job?jid=none").status
    assert_equal 404, get("/batch?id=none").status
    assert_equal 422, get("/queue").status
  end

  # A store with more jobs than a page searches.
  def test_a_job_beyond_the_searched_ones
    id, = enqueue({})
    find = @store.method(:find)
    @store.define_singleton_method(:find) { |jid, most: nil| find.call(jid) unless most }
    @store.define_singleton_method(:countable) { 20_000 }
    @store.define_singleton_method(:counts) do |most: nil|
      {**super(), queue: most || 500_000, scheduled: 60_000}
    end
    page = get("/job?jid=#{id}")
    assert_equal 404, page.status
    assert_match(/not among the 25,000 that were looked through/, page.body)
    assert_equal 200, get(page.body[%r{href="(/job\?[^"]*all=1[^"]*)"}, 1].gsub("&amp;", "&"))
      .status
    assert_equal 200, get("/api/job?jid=#{id}").status
    assert_equal 404, get("/job?jid=none&all=1").status
    home = get("/").body
    assert_match(/20,000\+/, home)
    assert_equal 500_000, get("/api/").json["queue"]
  end

  def test_pages_refresh_themselves_or_not
    assert_match(/ data-refresh="2"/, get("/", web: Jobs::Web.new(store: @store, refresh: 2)).body)
    refute_match(/data-refresh/, get("/", web: Jobs::Web.new(store: @store, refresh: nil)).body)
    refute_match(/data-refresh/, get("/nothing").body)
  end

  def test_methods
    assert_equal 200, request("HEAD", "/").status
    %w[PUT DELETE OPTIONS].each { |method| assert_equal 405, request(method, "/").status }
  end

  def test_unreadable_requests
    assert_equal 200, get("/queue?queue=%ff").status
    assert_equal 400,
      request("POST", "/api/queues", body: "{\"action\": \"pause\", \"queue\": \"\xFF\"}",
        CONTENT_TYPE: "application/json").status
    assert_equal 400, post("/queues", {"queue" => "x" * 1_100_000}).status
    assert_equal 400, request("POST", "/api/queues", body: "{", CONTENT_TYPE: "application/json")
      .status
    assert_equal 400, request("POST", "/api/queues", body: "[1]", CONTENT_TYPE: "application/json")
      .status
  end

  def test_headers_of_all_answers
    [get("/"), get("/nothing"), get("/api/"),
      post("/queues", {"action" => "pause", "queue" => "a"}), get("/", REMOTE_ADDR: "8.8.8.8"),
      get("/assets/x")].each do |answer|
      assert_match(/\Adefault-src 'none'; script-src 'self'; style-src 'self'/,
        answer.headers["content-security-policy"])
      refute_match(/unsafe/, answer.headers["content-security-policy"])
      assert_equal %w[DENY nosniff same-origin no-store],
        answer.headers.values_at("x-frame-options", "x-content-type-options", "referrer-policy",
          "cache-control")
    end
  end

  def test_nothing_is_inline
    bury(2)
    PAGES.each do |address|
      page = get(address).body
      refute_match(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|javascript:/i, page)
    end
  end

  def test_a_store_that_is_down
    down = Class.new(Jobs::Store) {
      Jobs::Store.public_instance_methods(false)
        .each do |name|
          define_method(name) do |*, **|
            raise Jobs::StoreUnavailable, "no answer from redis://jobs"
          end
        end
    }.new
    web = Jobs::Web.new(store: down)
    page = get("/queues", web: web)
    assert_equal 503, page.status
    assert_match(%r{no answer from redis://jobs}, page.body)
    assert_match(/data-refresh/, page.body)
    refute_match(/\.rb:\d+/, page.body)
    assert_equal [503, {"error" => "no answer from redis://jobs"}],
      get("/api/dead", web: web).then { |answer| [answer.status, answer.json] }
    assert_equal 503, post("/queues", {"action" => "pause", "queue" => "a"}, web: web).status
  end
end
