# frozen_string_literal: true

# Acts like a container on a process that is started with `-r`: one system call fails from here on.
# A seccomp filter, as in test/native/refuse.c; REFUSE is the call's number and the errno, such as
# "425:1".
number, error = ENV.fetch("REFUSE").split(":").map { |part| Integer(part) }
load = 0x20
jump = 0x15
answer = 0x06
filter = [
  [load, 0, 0, 0], # the number of the call
  [jump, 0, 1, number],
  [answer, 0, 0, 0x00050000 | error],
  [answer, 0, 0, 0x7fff0000] # everything else is allowed
].map { |instruction| instruction.pack("SCCL") }.join
program = [filter.bytesize / 8].pack("Sx6") + [filter].pack("P")
prctl = {"x86_64" => 157, "aarch64" => 167}.fetch(RUBY_PLATFORM[/\A[^-]+/])

syscall(prctl, 38, 1, 0, 0, 0) # no new privileges
# the address: Ruby takes no string with zeros
syscall(prctl, 22, 2, [program].pack("P").unpack1("J"), 0, 0)
