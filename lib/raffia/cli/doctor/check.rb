# frozen_string_literal: true

module Raffia
  module CLI
    module Doctor
      # One finding. A Struct and not a Data, because the doctor must start on a Ruby that is too
      # old for the rest.
      #
      # name::   what was looked at
      # status:: "ok", "note" (fine, and could be more), "warn" (will hurt under load), "fail"
      # (broken)
      # detail:: what was found
      # advice:: what to do, nil when there is nothing
      #
      # @api private
      Check = Struct.new(:name, :status, :detail, :advice) do
        def self.ok(name, detail) = new(name, "ok", detail, nil)

        def self.note(name, detail, advice = nil) = new(name, "note", detail, advice)

        def self.warn(name, detail, advice) = new(name, "warn", detail, advice)

        def self.broken(name, detail, advice) = new(name, "fail", detail, advice)

        def broken? = status == "fail"
      end
    end
  end
end
