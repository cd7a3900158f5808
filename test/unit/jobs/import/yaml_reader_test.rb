# frozen_string_literal: true

require "test_helper"
require "raffia/jobs/import"
require "raffia/jobs/import/yaml_reader"

class JobsImportYAMLReaderTest < Raffia::TestCase
  Reader = Raffia::Jobs::Import::YAMLReader
  Unreadable = Raffia::Jobs::Import::Unreadable
  Tree = Raffia::Jobs::Import::ObjectTree

  # Chains of objects that have run code when YAML was loaded, and others that must not be made.
  EXPLOITS = {
    "an installer of RubyGems" => "--- !ruby/object:Gem::Installer\ni: x\n",
    "a chain of RubyGems" => <<~YAML,
      ---
      - !ruby/object:Gem::Installer
          i: x
      - !ruby/object:Gem::SpecFetcher
          i: y
      - !ruby/object:Gem::Requirement
        requirements:
          !ruby/object:Gem::Package::TarReader
          io: &1 !ruby/object:Net::BufferedIO
            io: &1 !ruby/object:Gem::Package::TarReader::Entry
               read: 0
               header: "abc"
            debug_output: &1 !ruby/object:Net::WriteAdapter
               socket: &1 !ruby/object:Gem::RequestSet
                   sets: !ruby/object:Net::WriteAdapter
                       socket: !ruby/module 'Kernel'
                       method_id: :system
                   git_set: id
               method_id: :resolve
    YAML
    "a deprecation proxy" => "--- !ruby/object:ActiveSupport::Deprecation::" \
      "DeprecatedInstanceVariableProxy\ninstance: !ruby/object:ERB\n  src: \"system('id')\"\n" \
      "method: :result\n",
    "a Hash of a class" => "--- !ruby/hash:ActionDispatch::Routing::RouteSet::" \
      "NamedRouteCollection\n\"x; system('id')\": y\n",
    "an Array of a class" => "--- !ruby/array:Gem::Requirement\n- 1\n",
    "text of a class" => "--- !ruby/string:Gem::Version x\n",
    "an exception" => "--- !ruby/exception:Exception\nmessage: x\n",
    "a regular expression" => "--- !ruby/regexp /(a+)+$/\n",
    "a marshalled object" => "--- !ruby/marshalable:Gem::Version\n:__psych_marsh: x\n",
    "an old tag" => "--- !ruby/yaml.org,2002:object:Gem::Version\nx: 1\n",
    "a tag of its own" => "--- !evil x\n"
  }.freeze

  EXPLOITS.each do |name, yaml|
    define_method(:"test_no_class_is_resolved_by_#{name.tr(" ", "_")}") do
      assert_empty(resolved { outcome(yaml) })
    end
  end

  def test_unknown_tags_are_refused
    refused = EXPLOITS.reject { |_, yaml| outcome(yaml).is_a?(Hash) }
    assert_equal EXPLOITS.keys - ["an installer of RubyGems", "a deprecation proxy"], refused.keys
  end

  def test_objects_are_names_and_fields
    tree = Reader.read(EXPLOITS["a deprecation proxy"])
    assert_equal ["ActiveSupport::Deprecation::DeprecatedInstanceVariableProxy", "ERB"],
      Tree.classes(tree)
  end

  def test_values
    yaml = Psych.dump({"a" => 1, :b => -2.5, nil => [true, false, nil], "yes" => "1", "c" => ":d",
      "e" => Date.new(2026, 1, 2), "f" => "\xFF".b, "g" => "", "h" => "2026-01-02", "i" => 1..2,
      "j" => :"a b", "k" => 1e25, "l" => "a\nb\n", "m" => 10**30})
    pairs = Reader.read(yaml)["pairs"].to_h { |key, value| [key, value] }
    symbol = ->(text) { {"type" => "symbol", "value" => text} }
    assert_equal({"a" => 1, symbol["b"] => -2.5, nil => [true, false, nil], "yes" => "1",
      "c" => ":d", "e" => {"type" => "date", "value" => "2026-01-02"},
      "f" => {"type" => "bytes", "value" => "/w=="}, "g" => "", "h" => "2026-01-02",
      "i" => {"type" => "range", "first" => 1, "last" => 2, "exclusive" => false},
      "j" => symbol["a b"], "k" => 1e25, "l" => "a\nb\n", "m" => 10**30}, pairs)
  end

  def test_rows_have_their_id_only
    {"raw_attributes:\n  id: 7\n  name: x\nnew_record: false\n" => 7,
     "attributes:\n  name: x\n  id: abc-1\nnew_record: false\n" => "abc-1",
     "concise_attributes:\n- !ruby/object:ActiveModel::Attribute::FromDatabase\n  name: id\n" \
       "  value_before_type_cast: 9\nactive_record_yaml_version: 2\n" => 9}.each do |fields, id|
      assert_equal({"type" => "record", "class" => "Story", "id" => id},
        Reader.read("--- !ruby/object:Story\n#{fields}"))
    end
    assert_equal({"type" => "record", "class" => "Story", "id" => 3},
      Reader.read("--- !ruby/ActiveRecord:Story\nattributes:\n  id: 3\n"))
    assert_raises(Unreadable) { Reader.read("--- !ruby/ActiveRecord:Story\nattributes: {}\n") }
  end

  def test_aliases_of_text_and_rows_are_read
    assert_equal %w[word word], Reader.read("---\n- &1 word\n- *1\n")
    row = {"type" => "record", "class" => "Story", "id" => 3}
    assert_equal [row, row],
      Reader.read("---\n- &1 !ruby/ActiveRecord:Story\n  attributes: {id: 3}\n- *1\n")
  end

  def test_bombs_are_refused
    {"an alias of an object" => "---\na: &1 [x]\nb: *1\n",
     "an alias of itself" => "--- &1\n- *1\n",
     "more text by aliases than is allowed" =>
       "---\n- &1 #{"x" * 100_000}\n#{"- *1\n" * 20}",
     "a deep one" => "--- #{"[" * 60}#{"]" * 60}\n",
     "a very deep one" => "--- #{"[" * 20_000}#{"]" * 20_000}\n",
     "a long one" => "--- #{"x" * (1024 * 1024 + 1)}\n",
     "an unknown alias" => "--- *1\n",
     "none" => "", "no YAML" => "--- [", "bytes" => "--- \xFF\xFE\n".b,
     "a number without JSON" => "--- .inf\n",
     "a call without a method" => "--- !ruby/object:Delayed::PerformableMethod\nobject: 1\n"}
      .each do |name, yaml|
        assert_kind_of String, outcome(yaml), name
      end
  end

  private

  # @return [Hash, Array, String] a tree, or why there is none
  def outcome(yaml)
    Reader.read(yaml)
  rescue Unreadable => error
    error.message
  end

  # Names that were looked up, and classes whose objects were made, of those in {EXPLOITS}.
  def resolved
    found = []
    calls = TracePoint.new(:c_call, :call) do |point|
      name = point.method_id
      if %i[allocate const_get const_missing autoload? path2class init_with marshal_load
        resolve_class].include?(name)
        found << [name, point.self]
      end
    end
    calls.enable { yield }
    found
  end
end
