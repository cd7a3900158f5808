# frozen_string_literal: true

require "test_helper"
require "support/in_child"
require "raffia/server"

# Sockets go from one process to another, all or none.
class TakeoverOfferTest < Raffia::TestCase
  include TestSupport::InChild

  Offer = Raffia::Server::Takeover::Offer
  Key = Raffia::Server::Listen::SocketSet::Key
  Channel = Raffia::Process::Supervisor::MessageChannel
  # More than the kernel takes in one message.
  MANY = 300

  def setup
    super
    @ours, @theirs = Channel.pair
    @sockets = {}
  end

  def teardown
    [@ours, @theirs, *@sockets.values].each(&:close)
    super
  end

  def test_more_sockets_than_a_message_takes
    offer(MANY)
    pid, received = Offer.receive(@theirs)
    assert_equal ::Process.pid, pid
    assert_equal @sockets.keys, received.keys
    assert received.values.all?(&:close_on_exec?)
    assert_equal @sockets.values.map { |io| inode(io) }, received.values.map { |io| inode(io) }
  ensure
    received&.each_value(&:close)
  end

  # The kernel drops what this process has no numbers for, and says nothing.
  def test_too_few_descriptors_are_free
    need_fork
    assert_match(/too few descriptors .* LimitNOFILE/, in_child do
      offer(20)
      ::Process.setrlimit(:NOFILE, 3)
      refused { Offer.receive(@theirs) }
    end)
  end

  def test_nothing_of_a_part_remains_when_the_rest_does_not_come
    GC.disable
    before = descriptors
    @ours.send(:offer, {pid: 1, keys: [Key.new("serve", 0, "tcp://127.0.0.1:1", 0).to_row],
      last: false}, [@theirs.to_io])
    @ours.close
    assert_match(/gives no answer/, refused { Offer.receive(@theirs) })
    assert_equal before - 1, descriptors
  ensure
    GC.enable
  end

  def test_a_refusal_has_a_reason
    @ours.send(:refused, {reason: "it is Sunday"})
    assert_match(/refuses: it is Sunday/, refused { Offer.receive(@theirs) })
  end

  private

  def offer(count)
    file = File.open(File::NULL)
    count.times { |unit| @sockets[Key.new("serve", unit, "tcp://127.0.0.1:1", 0)] = file.dup }
    assert Offer.send(@ours, @sockets)
  ensure
    file&.close
  end

  def inode(io) = io.stat.ino

  def descriptors = Dir.children("/proc/self/fd").size

  def refused(&) = assert_raises(Raffia::Server::CannotListen, &).message
end
