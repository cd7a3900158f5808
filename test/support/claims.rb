# frozen_string_literal: true

module TestSupport
  # Several processes share all test classes: each runs those that no other has begun. A claim is a file that only one can create.
  module Claims
    FOLDER = ENV.delete("RAFFIA_CLAIMS")

    # @param test [Class]
    # @return [Boolean] whether this process is to run it
    def self.claim(test)
      File.open(File.join(FOLDER, test.name.gsub("::", ".")), File::CREAT | File::EXCL | File::WRONLY).close
      true
    rescue Errno::EEXIST
      false
    end

    # For test classes.
    # @return [void]
    def run(...) = (super if Claims.claim(self))
  end
end

Raffia::TestCase.extend(TestSupport::Claims)
