# frozen_string_literal: true

module Conformance
  module Source
    # A source package of Debian, by release and version, without touching the system's apt: the
    # mirror is the one of the machine's own apt sources, the lists are in our cache. Needs no root.
    class Debian
      LISTS_OF_A_DAY = 24 * 60 * 60

      def initialize(entry, cache)
        @package = entry["debian"]
        @version = entry["version"]
        @release = entry["release"]
        @apt = cache.path("apt", @release)
      end

      def fetch(folder)
        update unless File.exist?(stamp) && Time.now - File.mtime(stamp) < LISTS_OF_A_DAY
        download = "#{folder}.download"
        FileUtils.rm_rf(download)
        FileUtils.mkdir_p(download)
        apt("source", "--download-only", "--only-source", "#{@package}=#{@version}",
          chdir: download)
        unpack(download, folder)
      ensure
        FileUtils.rm_rf(download) if download
      end

      private

      def stamp = File.join(@apt, "updated")

      def unpack(download, folder)
        description = Dir[File.join(download, "*.dsc")].first
        FileUtils.rm_rf(folder)
        Source.command("dpkg-source", "--no-check", "--no-copy", "--extract", description, folder)
      end

      def update
        %w[lists/partial cache/archives/partial].each { |dir|
          FileUtils.mkdir_p(File.join(@apt, dir))
        }
        File.write(File.join(@apt, "apt.conf"), configuration)
        File.write(File.join(@apt, "sources.list"), sources)
        apt("update")
        FileUtils.touch(stamp)
      end

      def apt(*arguments, chdir: Dir.pwd)
        Source.command("apt-get", *arguments, env: {"APT_CONFIG" => File.join(@apt, "apt.conf")},
          chdir: chdir)
      end

      def configuration
        <<~CONF
          Dir::State::lists "#{@apt}/lists";
          Dir::Cache "#{@apt}/cache";
          Dir::Etc::sourcelist "#{@apt}/sources.list";
          Dir::Etc::sourceparts "/nonexistent";
          Dir::Etc::preferences "/nonexistent";
          Dir::Etc::preferencesparts "/nonexistent";
          Acquire::Languages "none";
          Acquire::Check-Valid-Until "false";
          APT::Sandbox::User "#{Etc.getlogin || "root"}";
        CONF
      end

      # The set-up knows how to read apt's sources (script/setup/newer_suites.sh).
      def sources
        shell = 'source "$0/common.sh"; source "$0/newer_suites.sh"; debian_mirrors'
        mirrors = Source.command("bash", "-c", shell,
          File.join(ROOT, "script/setup")).lines(chomp: true)
        uri, keyring = mirrors.first&.split("\t")
        raise Error, "no Debian mirror is named in this machine's apt sources" unless uri

        "deb-src #{"[signed-by=#{keyring}] " if keyring}#{uri} #{@release} main\n"
      end
    end
  end
end
