# frozen_string_literal: true

require_relative "../../unit/conformance/conformance_case"
require "raffia/server"
require "logger"
require "uri"

# The person with a browser who drives the applications of `bin/conformance --apps`.
class ConformanceVisitorTest < Raffia::TestCase
  FORM = <<~HTML
    <title>Notes</title><form method="post" action="/"><input name="note" value="old">
    <input type="submit" value="Save"></form><a href="/broken">Elsewhere</a>
  HTML

  # It shows what it was sent; one page asks for a script that is not there.
  APP = lambda do |env|
    html = {"content-type" => "text/html; charset=utf-8"}
    case env.values_at("REQUEST_METHOD", "PATH_INFO")
    in ["GET", "/"] then [200, html, [FORM]]
    in ["POST", "/"]
      note = URI.decode_www_form(env["rack.input"].read).to_h["note"].dup.force_encoding("UTF-8")
      [200, html, ["<p>Saved: #{note}</p>"]]
    in ["GET", "/broken"] then [200, html, ["<p>Here</p><script src=/none.js></script>"]]
    else [404, {}, []]
    end
  end

  def setup
    TestSupport::Browser.program
    @server = Raffia::Server.start(APP, logger: Logger.new(IO::NULL))
  rescue TestSupport::Browser::Missing => error
    skip error.message
  end

  def teardown = @server&.stop

  def test_each_step_is_kept_with_what_the_browser_shows_and_complains_about
    steps = Conformance::AppVisitor.open(@server.port) do |visitor|
      visitor.go("/", "Elsewhere")
      visitor.fill("note" => "Grüße")
      visitor.click("Save", "Saved")
      visitor.go("/", "Elsewhere")
      visitor.click("Elsewhere", "Here")
      visitor.steps
    end
    assert_equal ["go to /", "click Save", "go to /", "click Elsewhere"],
      steps.map { |step| step["step"] }
    assert_equal ["Notes", "", "Notes", ""], steps.map { |step| step["title"] }
    assert_equal [1, 0, 1, 0], steps.map { |step| step["forms"] }
    assert_equal "Saved: Grüße", steps[1]["text"]
    assert_match(%r{404.*/none\.js}, steps.last["complaints"].grep(/none/).join)
  end
end
