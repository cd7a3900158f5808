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
    places = graph.boxes.to_h { |box| [box.step.label, [box.x, box.y]] }
    assert_equal([2, 2, 86, 86], places.values_at("a", "b", "c", "d").map(&:last))
    assert_equal([3, []], [graph.links.size, graph.links.select(&:far)])
  end

  def test_a_wide_level_has_several_rows
    graph = Jobs::Web::WorkflowGraph.new([*Array.new(7) { |n| node("s#{n}") },
      *Array.new(7) { |n| node("t#{n}", "s#{n}") }])
    assert_equal([2, 2, 2, 2, 2, 60, 60], graph.boxes.map(&:y).first(7))
    assert_equal([980, 248], [graph.width, graph.height])
    assert_equal(7, graph.links.count(&:far))
  end

  def test_many_jobs_that_are_alike_are_one_box
    many = Array.new(60) { |n| node("s#{n}", "a") }
    many[7]["state"] = "done"
    many[9]["state"] = "dead"
    last = node("z", *many.map { |one| one["name"] })
    graph = Jobs::Web::WorkflowGraph.new([node("a"), *many, last])
    step = graph.boxes[1].step
    assert_equal(["a", "s0 + 59 more", "z"], graph.boxes.map { |box| box.step.label })
    assert_equal(["dead", 60, 2], [step.state, step.elements, step.ended])
    assert_equal(2, graph.links.size)
  end

  def test_an_undo_is_told_in_the_box_of_its_step
    graph = Jobs::Web::WorkflowGraph.new([node("a"), node("b", "a"),
      {**node("undo a"), "kind" => "undo", "state" => "done"}])
    assert_equal([["a", "done"], ["b", nil]],
      graph.boxes.map { |box| [box.step.label, box.step.undo] })
  end

  def test_steps_are_ordered_by_those_that_they_wait_for
    graph = Jobs::Web::WorkflowGraph.new([node("a"), node("b"), node("d", "b"), node("c", "a")])
    assert_equal(%w[a b c d], graph.boxes.map { |box| box.step.label })
  end

  def test_many_steps_are_not_all_drawn
    graph = Jobs::Web::WorkflowGraph.new(Array.new(203) { |n|
      node("s#{n}", *("s#{n - 1}" if n.positive?))
    })
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
