# frozen_string_literal: true

require_relative "case"

module JobsStoreContract
  # Tests that fork.
  module Children
    include Case

    # @return [String] what the block returns in a forked child
    def in_child
      reader, writer = IO.pipe
      pid = fork { answer(reader, writer) { yield } }
      writer.close
      text = reader.read
      assert(::Process.wait2(pid).last.success?, "the child failed")
      text
    ensure
      reader&.close
    end

    private

    def answer(reader, writer)
      reader.close
      writer.write(yield.to_s)
      writer.close
      ::Process.exit!(0)
    rescue Exception => error # standard:disable Lint/RescueException
      warn(error.full_message)
      ::Process.exit!(1)
    end
  end
end
