# frozen_string_literal: true

require_relative "web_case"

# The dashboard within the real Rack: its responses pass Rack::Lint, and a body that other
# middleware has read is not lost.
class JobsWebRackTest < JobsWebCase
  def setup
    super
    require "rack"
    web = Rack::Lint.new(Jobs::Web.new(store: @store))
    @app =
      Rack::MockRequest.new(
        Rack::Lint.new(Rack::MethodOverride.new(Rack::URLMap.new("/admin/jobs" => web)))
      )
  rescue LoadError
    skip "the gem rack is not installed"
  end

  ENVIRONMENT = {"REMOTE_ADDR" => "127.0.0.1", "HTTP_HOST" => "localhost"}.freeze

  def test_pages_and_data
    bury(2)
    ["", "/", "/queues", "/dead", "/nothing", "/api/dead", "/assets/nothing"].each do |path|
      assert_includes [200, 404], @app.get("/admin/jobs#{path}", ENVIRONMENT).status, path
    end
    assert_equal "", @app.request("HEAD", "/admin/jobs/", ENVIRONMENT).body
    style = @app.get("/admin/jobs/", ENVIRONMENT).body[%r{href="([^"]*base-\h+\.css)"}, 1]
    assert_equal 200, @app.get(style, ENVIRONMENT).status
    assert_equal 403, @app.get("/admin/jobs/", {**ENVIRONMENT, "REMOTE_ADDR" => "8.8.8.8"}).status
  end

  def test_forms_that_a_middleware_has_read
    bury(2)
    key = keys(:dead).first
    answer = @app.post("/admin/jobs/dead", :params => {"action" => "delete", "key" => key},
      **ENVIRONMENT, "HTTP_SEC_FETCH_SITE" => "same-origin")
    assert_equal [303, "/admin/jobs/dead?done=deleted&count=1"], [answer.status, answer["location"]]
    assert_equal 1, @store.counts[:dead]
    answer = @app.post("/admin/jobs/api/queues",
      {**ENVIRONMENT, "CONTENT_TYPE" => "application/json",
        :input => JSON.generate("action" => "pause", "queue" => "a")})
    assert_equal 200, answer.status
  end

  def test_in_the_routes_of_rails
    require "action_dispatch"
    web = Jobs::Web.new(store: @store)
    routes = ActionDispatch::Routing::RouteSet.new
    routes.draw { mount web => "/admin/jobs" }
    rails = Rack::MockRequest.new(routes)
    bury(1)
    page = rails.get("/admin/jobs/dead", ENVIRONMENT)
    assert_equal 200, page.status
    assert_match(%r{action="/admin/jobs/dead"}, page.body)
    assert_equal 200, rails.get("/admin/jobs", ENVIRONMENT).status
    assert_equal 303,
      rails.post("/admin/jobs/dead", :params => {"action" => "delete all", "sure" => "yes"},
        "HTTP_ORIGIN" => "http://localhost", **ENVIRONMENT).status
    assert_equal 0, @store.counts[:dead]
  rescue LoadError
    skip "the gem actionpack is not installed"
  end
end
