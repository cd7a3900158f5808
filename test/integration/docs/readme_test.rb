# frozen_string_literal: true

require_relative "../cli/cli_case"

module Raffia
  # The pages are correct: each Ruby block in them is a program. It runs in its own process and must
  # print the values of its `#=>` comments. (Samples that are no programs are indented instead.)
  class ReadmeTest < CLICase
    PAGES = ["README.md", *Dir.glob("{guides,docs}/**/*.md", base: ROOT).sort].freeze
    BLOCK = /^```ruby\n(.*?)^```$/m
    LINK = /\]\(([^)#:]+)(?:#[^)]*)?\)/

    PAGES.each do |page|
      File.read(File.join(ROOT, page), encoding: "UTF-8").scan(BLOCK).each
        .with_index(1) do |(code), number|
        define_method(:"test_block_#{number}_of_#{page}") do
          next run_in_the_lab(code) if code.include?("Raffia::Lab.experiment")
          need_what(code)

          ended = ruby script(code)
          assert_equal ["", 0], [ended.err, ended.code], code
          assert_equal code.scan(/#=> (.*)$/).flatten, ended.out.lines.map(&:chomp), code
        end
      end
    end

    # The optional gems of programs, by the feature that a program requires.
    OPTIONAL = {"websocket/driver" => "websocket-driver", "active_job" => "activejob",
                "sqlite3" => "sqlite3"}.freeze
    # Others, by a word of the program.
    NEEDED = {"Raffia::Jobs.recurring" => "fugit"}.freeze

    def need_what(code)
      missing = OPTIONAL.find do |feature, gem|
        code.include?("require \"#{feature}") && Gem::Specification.find_all_by_name(gem).empty?
      end
      missing ||= NEEDED.find do |word, gem|
        code.include?(word) && Gem::Specification.find_all_by_name(gem).empty?
      end
      skip "the gem #{missing.last} is not installed (bin/setup --server)" if missing
    end

    # An experiment is a program for the lab.
    def run_in_the_lab(code)
      ended = raffia("lab", "run", "./#{script(code)}", "--runs", "1", "--scale", "0.1")
      assert_equal 0, ended.code, ended.out + ended.err
      assert_includes ended.out, "right: "
    end

    def test_each_guide_has_programs
      guides = PAGES.grep(/\Aguides/) - ["guides/lab.md"] # that one is about a command
      refute_empty guides
      guides.each do |page|
        assert_match BLOCK, File.read(File.join(ROOT, page), encoding: "UTF-8"), page
      end
    end

    def test_the_readme_is_short
      assert_operator File.readlines(File.join(ROOT, "README.md")).size, :<=, 250
    end

    def test_links_lead_somewhere
      (Dir[File.join(ROOT, "{docs,guides}/**/*.md")] + Dir[File.join(ROOT, "*.md")]).each do |page|
        File.read(page, encoding: "UTF-8").gsub(/^```.*?^```$/m, "").scan(LINK).flatten
          .each do |target|
          assert_path_exists File.expand_path(target, File.dirname(page)),
            "#{page.delete_prefix("#{ROOT}/")} links to it"
        end
      end
    end

    # GitHub makes them of headings in the same way.
    def anchors(page)
      File.read(page, encoding: "UTF-8").gsub(/^```.*?^```$/m, "").scan(/^#+ (.*)$/).flatten
        .map do |heading|
          heading.gsub(/\[([^\]]*)\]\([^)]*\)/, '\1').downcase.gsub(/[^\p{Word}\- ]/, "")
            .tr(" ", "-")
        end
    end

    def test_links_into_a_page_lead_to_a_heading
      (Dir[File.join(ROOT, "{docs,guides}/**/*.md")] + Dir[File.join(ROOT, "*.md")]).each do |page|
        File.read(page, encoding: "UTF-8").gsub(/^```.*?^```$/m, "")
          .scan(/\]\(([^)#:]*\.md)?#([^)]+)\)/).each do |target, anchor|
          heading = target ? File.expand_path(target, File.dirname(page)) : page
          assert_includes anchors(heading), anchor, "#{page.delete_prefix("#{ROOT}/")} links to it"
        end
      end
    end

    # In one click, by a table at its top.
    def test_each_task_of_jobs_has_a_recipe
      table = File.read(File.join(ROOT, "guides/jobs.md"), encoding: "UTF-8")[/^\| task .*?\n\n/m]
      rows = table.lines.drop(2).reject { |line| line.strip.empty? }
      assert_operator rows.size, :>=, 15
      rows.each { |row| assert_match(/\A\| [a-z].* \| \[[^\]]+\]\([^)]+\).* \|$/, row) }
    end

    def test_each_decision_has_a_number_of_its_own
      numbers = Dir[File.join(ROOT, "docs/adr/*.md")].map { |path| File.basename(path)[/\A\d+/] }
      assert_equal numbers.uniq, numbers
    end

    def test_the_readme_starts_with_the_two_commands
      commands = File.read(File.join(ROOT, "README.md"), encoding: "UTF-8")
        .scan(/^    (bin\S+(?: \w+)?)/).flatten
      assert_equal ["bin/raffia lab", "bin/test"], commands
    end
  end
end
