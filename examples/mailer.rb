# frozen_string_literal: true

# The same mails, sent in seven ways: one after the other, in forked processes, on fibers, on
# threads, by a pool that stays, by actors, and as background jobs. What sends a mail is one method,
# and knows nothing of that.
#
#     bin/raffia run examples/mailer.rb
#
# It prints a line for each way: how many mails have come, and in what time.

require "raffia"
require "raffia/actor"
require "raffia/jobs"
require "socket"

# A post office on this machine, which takes a moment for each mail. It speaks as much SMTP as is
# needed here.
class PostOffice
  attr_reader :port

  def initialize
    @server = TCPServer.new("127.0.0.1", 0)
    @port = @server.addr[1]
    @received = Thread::Queue.new
    Thread.new { loop { Thread.new(@server.accept) { |client| serve(client) } } }
  end

  # @return [Integer] the mails that have come since it was last asked
  def received = @received.size.times { @received.pop }

  private

  def serve(client)
    client.write("220 here\r\n")
    while (line = client.gets("\r\n", chomp: true))
      client.write((line == "DATA") ? "354 go on\r\n" : "250 good\r\n")
      take_in(client) if line == "DATA"
      return if line == "QUIT"
    end
  ensure
    client.close
  end

  def take_in(client)
    nil until client.gets("\r\n") == ".\r\n"
    sleep 0.02
    @received << true
    client.write("250 taken\r\n")
  end
end

OFFICE = PostOffice.new
READERS = (1..40)

# Sends one mail. It mostly waits, as mailers do.
def deliver(reader)
  TCPSocket.open("127.0.0.1", OFFICE.port) do |socket|
    socket.gets
    ["HELO localhost", "MAIL FROM:<news@example.org>", "RCPT TO:<reader#{reader}@example.org>",
      "DATA",
      "Subject: News\r\n\r\nHello reader #{reader}.\r\n.", "QUIT"].each do |line|
      socket.write("#{line}\r\n")
      answer = socket.gets.to_s
      raise "#{line} was answered by #{answer.inspect}" unless answer.start_with?("2", "3")
    end
  end
  reader
end

# Does one thing at a time, so it could keep its connection open from mail to mail.
class MailActor < Raffia::Actor
  def send_to(reader) = deliver(reader)
end

# A job is written down before it is done: here in memory, in real life in SQLite, PostgreSQL or
# Redis, and done by `raffia work`.
class MailJob
  include Raffia::Job

  def perform(reader) = deliver(reader)
end

WAYS = {
  "one after the other" => -> { READERS.map { |reader| deliver(reader) } },
  "forked processes" => -> {
    Raffia.map(READERS, on: :processes, workers: 4) { |reader| deliver(reader) }
  },
  "fibers" => -> { Raffia.map(READERS, on: :fibers, workers: 40) { |reader| deliver(reader) } },
  "threads" => -> { Raffia.map(READERS, on: :threads, workers: 10) { |reader| deliver(reader) } },
  "a pool that stays" => lambda {
    # 20 may wait, then submit does
    Raffia::Pool.open(on: :threads, workers: 10, queue: 20) do |pool|
      READERS.map { |reader| pool.submit { deliver(reader) } }.map(&:value)
    end
  },
  "actors" => lambda {
    mailers = MailActor.pool(size: 10)
    READERS.map { |reader| mailers.future.send_to(reader) }.map(&:value).tap { mailers.stop }
  },
  "jobs" => -> { Raffia::Jobs.run_in_process { Raffia.map(READERS, on: :jobs, &MailJob) } }
}.freeze

WAYS.each do |name, way|
  started = Raffia::Clock.now
  in_order = way.call == READERS.to_a
  took = Raffia::Clock.now - started
  puts format("%-20s %d mails%s, %.2f s", name, OFFICE.received, in_order ? "" : " (not in order)",
    took)
end
