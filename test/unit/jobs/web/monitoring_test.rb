# frozen_string_literal: true

require_relative "web_case"

# Figures that monitoring and autoscalers get from the dashboard's application.
class JobsWebMonitoringTest < JobsWebCase
  def test_metrics
    enqueue({"queue" => "mail"})
    reply = get("/openmetrics")
    assert_equal [200, "application/openmetrics-text; version=1.0.0; charset=utf-8"],
      [reply.status, reply.headers["content-type"]]
    assert_includes reply.body, "raffia_queue_size{queue=\"mail\"} 1\n"
    assert reply.body.end_with?("# EOF\n")
  end

  def test_figures_are_kept_for_seconds
    get("/openmetrics")
    enqueue({})
    assert_includes get("/openmetrics").body, "raffia_jobs{set=\"queue\"} 0\n"
  end

  def test_the_signal
    enqueue(*Array.new(900) { {"queue" => "mail"} }, {"queue" => "low"})
    assert_equal [901, 3], get("/api/scaling").json.values_at("backlog", "desired_workers")
    assert_equal [900, 7], get("/api/scaling?queue=mail&target=20&slots=10").json
      .values_at("backlog", "desired_workers")
    assert_equal 2, get("/api/scaling?max=2").json["desired_workers"]
    assert_includes get("/scaling").body, "Desired workers"
  end

  def test_settings_without_meaning
    assert_equal 422, get("/api/scaling?target=0").status
    assert_equal 422, get("/api/scaling?min=4&max=2").status
  end

  def test_a_store_that_cannot_be_reached
    @web = Jobs::Web.new(store: Jobs::Store.open("redis://127.0.0.1:1"))
    assert_equal 503, get("/openmetrics").status
    assert_equal 503, get("/api/scaling").status
  end

  def test_others_get_nothing
    assert_equal 403, get("/openmetrics", REMOTE_ADDR: "8.8.8.8").status
  end
end
