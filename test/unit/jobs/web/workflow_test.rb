# frozen_string_literal: true

require "support/jobs_case"
require "raffia/jobs/web"
require "rack"

# The pages of workflows.
class JobsWebWorkflowTest < TestSupport::JobsCase
  def setup
    super
    @web = Jobs::Web.new(store: @store, auth: :none)
    @flow = Raffia::Workflow.new("w<1>".delete("<>")) do |w|
      w.job :first, NoteJob
      w.each :parts, NoteJob, from: :first
      w.job :last, NoteJob, after: :parts
    end.start
  end

  def test_a_workflow_is_drawn_by_levels
    finish([1, 2])
    page = get("/workflow?id=w1")
    assert_equal(3, page.scan("<rect").size)
    assert_equal(2, page.scan("class=\"edge\"").size)
    assert_includes(page, "active, 0 of 2")
    assert_includes(page, "parts[1]")
    assert_includes(get("/workflows"), "w1")
  end

  def test_the_steps_of_a_level_are_side_by_side
    graph = Jobs::Web::WorkflowGraph.new([node("a"), node("b"), node("c", "a", "b"), node("d", "a")])
    places = graph.boxes.to_h { |box| [box.node["name"], [box.x, box.y]] }
    assert_equal([2, 2, 86, 86], places.values_at("a", "b", "c", "d").map(&:last))
    assert_equal(3, graph.edges.size)
  end

  def test_many_steps_are_not_all_drawn
    graph = Jobs::Web::WorkflowGraph.new(Array.new(203) { |n| node("s#{n}") })
    assert_equal([200, 3], [graph.boxes.size, graph.hidden])
  end

  def test_a_workflow_is_cancelled_from_its_page
    answer = Rack::MockRequest.new(@web).post("/workflow", :params => {"action" => "cancel",
                                                                       "id" => "w1"}, "HTTP_SEC_FETCH_SITE" => "same-origin")
    assert_equal([303, :cancelled], [answer.status, @flow.state])
  end

  def test_a_workflow_that_is_not_there_is_not_found
    assert_equal(404, Rack::MockRequest.new(@web).get("/workflow?id=no").status)
    assert_equal("w1", JSON.parse(get("/api/workflow?id=w1"))["id"])
  end

  private

  def get(path) = Rack::MockRequest.new(@web).get(path).body

  def node(name, *after)
    {"name" => name, "kind" => "job", "state" => "waiting", "after" => after, "parent" => nil}
  end

  def finish(value)
    claim = @store.claim(@store.enroll("h:1:x", {}), ["default"], 1).first
    claim.result = JSON.generate(value)
    @store.ack([claim])
  end
end
