# frozen_string_literal: true

require "test_helper"
require "raffia/process/supervisor"

# The supervisor's log message about a worker that has ended.
class SupervisorExitMessageTest < Raffia::TestCase
  Member = Struct.new(:state, :reason, :forker) { def draining? = state == :draining }
  Slot = Struct.new(:index)
  Template = Struct.new(:state)

  def test_a_worker_that_did_as_it_was_told_is_not_mentioned
    assert_nil exit_message(:draining, status: 0)
    assert_nil exit_message(:draining, reason: "asked to leave", status: 0)
    assert_nil exit_message(:booting, pid: nil, reason: "no memory"), "the failed fork was logged"
    assert_nil exit_message(:booting, pid: nil, template: :failed), "the failed load was logged"
  end

  def test_every_other_end_is_named_with_its_state_and_reason
    assert_equal "worker 3 (7) exited with status 0 while it was ready",
      exit_message(:ready, status: 0)
    assert_equal "worker 3 (7) exited with status 1 while it was draining",
      exit_message(:draining, status: 1)
    assert_equal "worker 3 (7) was killed by SIGKILL while it was draining (asked to leave)",
      exit_message(:draining, reason: "asked to leave", signal: "SIGKILL")
    assert_equal "worker 3 could not be forked", exit_message(:booting, pid: nil)
  end

  private

  def exit_message(state, reason: nil, pid: 7, status: nil, signal: nil, template: :ready)
    how = Raffia::Process::Exit.new(pid: pid, status: status, signal: signal)
    Raffia::Process::Supervisor::ExitMessage.of(Slot.new(3),
      Member.new(state, reason, Template.new(template)), how)
  end
end
