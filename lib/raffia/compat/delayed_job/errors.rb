# frozen_string_literal: true

module Delayed
  # A stored job names a class or a method that jobs may not use.
  class NotPermitted < Raffia::Error
    def self.method(found, name)
      new("#{found}: #{name} is not permitted in delayed jobs: it is a method of all objects or " \
        "of Rails. Call it in a method of your own")
    end

    def self.of(name)
      new("#{name} is not permitted in delayed jobs: where the program and its workers load it, " \
        "say Delayed.permit(#{name.to_s.inspect})")
    end
  end

  # A stored job cannot be read, or its row is gone.
  class DeserializationError < StandardError
  end

  # Raffia lacks this part of Delayed Job: the message says what to use instead.
  class NotProvided < Raffia::Error
  end

  # A job ran too long.
  class WorkerTimeout < Timeout::Error
  end
end
