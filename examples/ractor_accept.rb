# frozen_string_literal: true

# The main Ractor accepts, the others answer: a server of one listener and several Ractors, each
# with a scheduler of its own.
#
# Only numbers go from one Ractor to the other: a file descriptor belongs to the whole process, and
# an IO to one Ractor. They go through a pipe for each Ractor, because a Ractor that waits in
# Ractor.receive stops all of its fibers, and one that reads does not.
#
#     bin/raffia run examples/ractor_accept.rb
#
# It prints whether all answers are right, and how many conversations each Ractor had.

require "raffia"
require "socket"

WORKERS = 2
CLIENTS = 40

# One line for each line, backwards.
def converse(client)
  while (line = client.gets)
    client.write("#{line.chomp.reverse}\n")
  end
ensure
  client.close
end

# The main Ractor must not close the descriptor when it forgets the socket.
def give_away(socket, pipe)
  socket.autoclose = false
  pipe.write([socket.fileno].pack("l"))
end

inboxes = WORKERS.times.map { IO.pipe(binmode: true) }
workers = inboxes.map do |ends|
  Ractor.new(ends.first.fileno) do |descriptor|
    inbox = IO.for_fd(descriptor, "rb", autoclose: false)
    served = 0
    Raffia.run do |scope|
      # The end of the pipe is the end of the work; the scope waits for the conversations that are
      # under way.
      while (message = inbox.read(4))
        client = Socket.for_fd(message.unpack1("l"))
        scope.spawn { converse(client) }
        served += 1
      end
    end
    served
  end
end

Raffia.run do |scope|
  listener = TCPServer.new("127.0.0.1", 0)
  listener.listen(CLIENTS)
  clients = CLIENTS.times.map do |n|
    scope.spawn do
      TCPSocket.open("127.0.0.1", listener.local_address.ip_port) do |socket|
        3.times.all? do |m|
          socket.write("question #{n}.#{m}\n") &&
            socket.gets == "question #{n}.#{m}".reverse << "\n"
        end
      end
    end
  end
  CLIENTS.times { |n| give_away(listener.accept, inboxes[n % WORKERS].last) }
  puts "all answers right: #{clients.map(&:value).all?}"
  listener.close
  inboxes.each { |_, pipe| pipe.close }
end

# Ractor#take is Ractor#value from Ruby 4.0 on.
served = workers.map { |worker| worker.respond_to?(:value) ? worker.value : worker.take }
puts "conversations, by Ractor: #{served.join(", ")}"
