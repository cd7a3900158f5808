# frozen_string_literal: true

require_relative "web_case"

class JobsWebAccessTest < JobsWebCase
  def web(**) = Jobs::Web.new(store: @store, **)

  def basic(text) = {HTTP_AUTHORIZATION: "Basic #{[text].pack("m0")}"}

  def test_from_this_machine_by_one_of_its_names
    ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"].each do |address|
      assert_equal 200, get("/", REMOTE_ADDR: address).status, address
    end
    ["localhost", "localhost:9293", "jobs.localhost:80", "127.0.0.1:9293", "[::1]:9293", "[::1]",
      "LOCALHOST", nil].each do |host|
        assert_equal 200, get("/", HTTP_HOST: host).status, host.inspect
      end
  end

  def test_from_another_machine
    ["10.0.0.1", "192.168.1.2", "8.8.8.8", "fe80::1%eth0", "::ffff:8.8.8.8", "", "unix:",
      "127.0.0.1.evil.example", nil].each do |address|
      %w[/ /api/ /assets/base.css].each do |path|
        assert_equal 403, get(path, REMOTE_ADDR: address).status, address.inspect
      end
    end
    assert_match(/user and a password/, get("/", REMOTE_ADDR: "10.0.0.1").body)
  end

  # DNS rebinding: another site's name resolves to this machine, so its page has our origin.
  def test_from_this_machine_by_another_name
    ["evil.example", "evil.example:9293", "localhost.evil.example", "127.0.0.1.evil.example",
      "[::2]", "10.0.0.1", "", "[", "a:b:c"].each do |host|
        assert_equal 403, get("/", HTTP_HOST: host).status, host
      end
  end

  def test_through_a_proxy_on_this_machine
    proxied = %i[HTTP_X_FORWARDED_FOR HTTP_FORWARDED HTTP_X_REAL_IP HTTP_VIA HTTP_X_FORWARDED_HOST]
    proxied.each { |name|
      assert_equal 403, get("/", name => "for=8.8.8.8").status, name
    }
  end

  def test_user_and_password
    web = web(user: "ada", password: "s3cret:with colon")
    assert_equal 200,
      get("/", web: web, REMOTE_ADDR: "8.8.8.8", HTTP_HOST: "jobs.example",
        **basic("ada:s3cret:with colon")).status
    ["ada:s3cret", "ada:", ":", "", "eve:s3cret:with colon",
      "ada:s3cret:with colon "].each do |text|
      assert_equal 401, get("/", web: web, **basic(text)).status, text
    end
    [nil, "", "Basic", "Basic %%%", "Bearer x", "\xFF"].each do |header|
      assert_equal 401, get("/", web: web, HTTP_AUTHORIZATION: header).status, header.inspect
    end
    refused = get("/", web: web)
    assert_match(/\ABasic realm="Jobs"/, refused.headers["www-authenticate"])
    refute_match(/s3cret/, web.inspect)
  end

  def test_changes_need_the_password_too
    web = web(user: "ada", password: "x")
    assert_equal 401, post("/queues", {"action" => "pause", "queue" => "a"}, web: web).status
    assert_empty @store.queues
    assert_equal 401, get("/api/queues", web: web).status
  end

  def test_the_application_is_asked
    web = web(auth: ->(env) { env["app.admin"] })
    assert_equal 200, get("/", web: web, REMOTE_ADDR: "8.8.8.8", "app.admin": true).status
    assert_equal 403, get("/", web: web).status
    assert_equal 200,
      get("/", web: web(auth: :none), REMOTE_ADDR: "8.8.8.8", HTTP_HOST: "jobs.example").status
  end

  def test_settings_that_admit_nobody_or_the_wrong_people
    assert_refused(/both user: and password:/) { web(user: "ada") }
    assert_refused(/both user: and password:/) { web(password: "x") }
    assert_refused(/neither may be empty/) { web(user: "ada", password: "") }
    assert_refused(/cannot have a colon/) { web(user: "a:b", password: "x") }
    assert_refused(/not both/) { web(auth: :none, user: "a", password: "b") }
    [0, -1, "5"].each { |seconds| assert_refused(/are no seconds/) { web(refresh: seconds) } }
    assert_refused(/:nobody/) { web(auth: :nobody) }
  end

  def pause(**env) = request("POST", "/queues", body: "action=pause&queue=a", **env).status

  def test_changes_come_from_our_own_pages
    assert_equal 303, pause(HTTP_SEC_FETCH_SITE: "same-origin")
    assert_equal 303, pause(HTTP_ORIGIN: "http://localhost:9293")
    assert_equal 303, pause(HTTP_ORIGIN: "https://jobs.localhost", HTTP_HOST: "jobs.localhost:443")
    assert_equal 303, pause(HTTP_ORIGIN: "http://[::1]:9293", HTTP_HOST: "[::1]:9293")
  end

  def test_changes_do_not_come_from_others
    %w[cross-site same-site none].each do |site|
      assert_equal 403, pause(HTTP_SEC_FETCH_SITE: site, HTTP_ORIGIN: "http://localhost:9293"), site
    end
    ["null", "http://evil.example", "http://localhost", "https://localhost:9294", "localhost:9293",
      "http://localhost:9293.evil.example", "file://", "",
      "javascript://localhost:9293"].each do |origin|
        assert_equal 403, pause(HTTP_ORIGIN: origin), origin
      end
    assert_equal 403, pause
    assert_equal 403, pause(CONTENT_TYPE: "text/plain")
    assert_empty @store.queues
  end

  def test_get_requests_change_nothing
    bury
    get("/dead?action=delete+all&sure=yes")
    get("/queues?action=clear&queue=default&sure=yes")
    assert_equal 1, @store.counts[:dead]
  end

  def test_programs_send_json
    body = JSON.generate("action" => "pause", "queue" => "a")
    answer = request("POST", "/api/queues", body: body, CONTENT_TYPE: "application/json")
    assert_equal [200, {"done" => "paused", "changed" => 1}], [answer.status, answer.json]
    assert @store.queues.first["paused"]
    assert_equal 403,
      request("POST", "/api/queues", body: body, CONTENT_TYPE: "application/json",
        HTTP_SEC_FETCH_SITE: "cross-site").status
  end

  def test_read_only
    bury(3)
    web = web(read_only: true)
    %w[/ /dead /queues /queue?queue=default /processes /recurring].each do |address|
      refute_match(/method="post"><|<button name="action"/, get(address, web: web).body)
    end
    jid = @store.entries(:dead).first.jid
    refute_match(/<button name="action"/, get("/job?jid=#{jid}", web: web).body)
    ["/dead", "/queues", "/queue?queue=default", "/job?jid=#{jid}", "/processes", "/recurring",
      "/busy", "/api/dead"].each do |address|
      assert_equal 403, post(address, {"action" => "delete all", "sure" => "yes"}, web: web).status
    end
    assert_equal 3, @store.counts[:dead]
    assert_match(/read-only/, get("/", web: web).body)
  end
end
