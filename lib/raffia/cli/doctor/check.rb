# frozen_string_literal: true

module Raffia
  module CLI
    class Doctor < Command
      # One finding: status "ok", "note" (fine, and could be better), "warn" (will hurt under load)
      # or "fail" (broken); its advice is nil when there is nothing to do. It is no Data, because
      # the doctor must start on a Ruby that is too old for the rest.
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
