# frozen_string_literal: true

require "raffia/jobs/durable"
require_relative "web_case"

# The pages of durable functions.
class JobsWebFunctionsTest < JobsWebCase
  EVIL = %("'><xss onload=alert(1)>&lt;\u2028`)
  Step = Jobs::FlowStep

  class OpenFunction
    include Raffia::Durable
  end

  class RedactedFunction
    include Raffia::Durable

    options redact: true
  end

  def test_a_function_is_shown_with_its_steps_and_what_it_waits_for
    id, claim = begun(OpenFunction)
    record(claim, 0, "step", "charge", "[{\"paid\":5}]")
    record(claim, 1, "start", "Child", "[\"child-1\"]")
    record(claim, 2, "publish", "publish", "[\"half\"]")
    @store.signal_flow(id, "other", "1")
    @store.await_step(claim, waiting(3, "confirmed"), 3600)
    page = get("/function?id=#{id}").body
    assert_match(%r{<span class="badge">waiting</span>}, page)
    assert_match(%r{for the signal\s+<code>confirmed</code>, which ends <time}, page)
    assert_match(%r{Signals not taken</dt><dd><span class="tag">other</span>}, page)
    assert_includes(page, %(<a href="/function?id=child-1">child-1</a>))
    assert_includes(page, "<code>{&quot;paid&quot;:5}</code>")
    assert_match(%r{Published</dt><dd><code>&quot;half&quot;}, page)
    assert_match(%r{<caption>Steps: \s*4 of 4}, page)
    assert_includes(get("/functions").body, id)
    assert_includes(get("/functions?status=waiting").body, id)
    refute_includes(get("/functions?status=done").body, id)
    assert_equal(200, get("/job?jid=#{id}").status)
    data = get("/api/function?id=#{id}").json
    assert_equal(["waiting", 4], [data["status"], data["history"].size])
  end

  def test_a_function_that_has_ended_has_a_result_or_an_error
    id, claim = begun(OpenFunction)
    @store.close_flow(claim, "done", result: "{\"ok\":1}")
    @store.ack([claim])
    assert_match(%r{Result</dt><dd><code>\{&quot;ok&quot;:1\}}, page = get("/function?id=#{id}").body)
    refute_includes(page, "Cancel")
    id, claim = begun(OpenFunction)
    @store.close_flow(claim, "cancelled", error: "no money")
    assert_includes(get("/function?id=#{id}").body, "<pre>no money</pre>")
    assert_includes(get("/functions").body, "no money")
  end

  def test_hidden_values_are_not_shown
    id, claim = begun(RedactedFunction)
    secrets(id, claim)
    [RedactedFunction, "OfAnotherProgram"].each do |name|
      pages = shown(id)
      refute_includes(pages, "plain")
      assert_match(/redacted|the class is not loaded here/, pages, name)
      id, claim = begun("OfAnotherProgram")
      secrets(id, claim)
    end
    id, claim = begun(OpenFunction, "encrypted" => true)
    @store.close_flow(claim, "cancelled", error: "{\"raffia:enc\":\"1.a.bbb\"}")
    assert_match(%r{<pre>\(encrypted\)</pre>}, get("/function?id=#{id}").body)
    refute_includes(shown(id), "1.a.bbb")
  end

  def test_the_result_of_a_child_with_hidden_values_is_not_shown
    id, claim = begun(OpenFunction)
    record(claim, 0, "child", RedactedFunction.name, "[{\"result\":\"plain\"}]")
    record(claim, 1, "child", OpenFunction.name, "[{\"result\":\"open\"}]")
    page = shown(id)
    refute_includes(page, "plain")
    assert_includes(page, "(redacted)")
    assert_includes(page, "open")
  end

  def test_an_error_without_a_class_is_hidden_as_a_whole
    id, claim = begun(RedactedFunction)
    @store.close_flow(claim, "cancelled", error: "the plain text: was cancelled")
    assert_includes(get("/function?id=#{id}").body, "<pre>(redacted)</pre>")
  end

  def test_hostile_names_and_values_are_escaped
    id, claim = begun(EVIL, jid: EVIL)
    record(claim, 0, "step", EVIL, JSON.generate([EVIL]))
    record(claim, 1, EVIL, EVIL, "not json <xss>")
    record(claim, 2, "start", EVIL, "not json <xss>")
    @store.signal_flow(id, "#{EVIL}!", "1")
    @store.await_step(claim, waiting(3, EVIL), nil)
    address = URI.encode_www_form(id: id)
    ["/functions", "/functions?status=#{URI.encode_www_form_component(EVIL)}",
      "/function?#{address}", "/api/function?#{address}"].each do |path|
      page = get(path)
      assert_equal(200, page.status, path)
      next if path.start_with?("/api")

      refute_includes(page.body, "<xss")
      refute_includes(page.body, %("'>))
    end
  end

  def test_a_function_is_cancelled_from_its_page
    id, = begun(OpenFunction)
    answer = post("/function", {"action" => "cancel", "id" => id})
    assert_equal(303, answer.status)
    assert_includes(get(answer.headers["location"]).body, "It ends at its next step")
    assert(@store.flow(id)["cancelled"])
    refute_equal(303, post("/function", {"action" => "burn", "id" => id}).status)
  end

  def test_a_function_that_is_not_there_is_not_found
    assert_equal(404, get("/function?id=no").status)
    assert_equal(404, get("/api/function?id=no").status)
    assert_equal(422, get("/function").status)
  end

  private

  def begun(function, jid: Jobs::Payload.id, **about)
    name = function.to_s
    id = @store.enqueue([Jobs::Draft.of({"class" => name, "args" => [], "jid" => jid,
      "queue" => "default", "raffia" => {"flow" => {"class" => name, **about}}})]).first
    claim = @store.claim(@lease ||= @store.enroll("h:1:x", {}, ttl: 600), ["default"], 1).first
    @store.load_flow(claim)
    [id, claim]
  end

  def record(claim, place, kind, name, value)
    @store.record_step(claim, Step.new(place: place.to_s, kind: kind, name: name, value: value))
  end

  def waiting(place, signal)
    Step.new(place: place.to_s, kind: "wait", name: signal, signal: signal)
  end

  def secrets(_id, claim)
    record(claim, 0, "step", "charge", "[\"plain\"]")
    record(claim, 1, "publish", "publish", "[\"plain\"]")
    @store.close_flow(claim, "cancelled", error: "RuntimeError: plain")
  end

  def shown(id)
    ["/functions", "/function?id=#{id}", "/api/function?id=#{id}"].map { |path| get(path).body }.join
  end
end
